import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanCustomFieldTests {
    private func plan(_ aliases: [String], _ values: [String]) throws -> ImportedPlan {
        let definitions = aliases.enumerated().map {
            "<ExtendedAttribute><FieldID>\($0)</FieldID><FieldName>Field\($0)</FieldName><Alias>\($1)</Alias>"
                + "</ExtendedAttribute>"
        }
        let fields = values.enumerated().map {
            "<ExtendedAttribute><FieldID>\($0)</FieldID><Value>\($1)</Value></ExtendedAttribute>"
        }
        return try PlanFixture.plan(
            settings:
                "<StartDate>2026-01-05</StartDate><ExtendedAttributes>\(definitions.joined())</ExtendedAttributes>",
            tasks: PlanFixture.task(1, fields.joined()))
    }

    private func estimates(_ plan: ImportedPlan) -> [JSON] {
        ["optimistic_duration", "most_likely_duration", "pessimistic_duration"].map { plan.tasks[0][$0] ?? "missing" }
    }

    @Test(arguments: [
        ["Optimistic", "Most Likely", "Pessimistic"],
        ["OPTIMISTIC DURATION", "most likely duration", "Pessimistic Duration"],
    ])
    func theEstimatesAreFoundByName(aliases: [String]) throws {
        let plan = try plan(aliases, ["PT16H", "PT24H", "PT40H"])
        #expect(estimates(plan) == [2, 3, 5])
        #expect(plan.notImported == [])
    }

    @Test func someOfTheEstimatesMayBeMissing() throws {
        let plan = try plan(["Most Likely", "Optimistic"], ["PT20H", "P9D"])
        #expect(estimates(plan) == [9, 3, nil])
        #expect(plan.notImported == ["1 estimate rounded to whole days"])
    }

    @Test func estimatesOutOfOrderAreDroppedAndListed() throws {
        let plan = try plan(["Optimistic", "Most Likely", "Pessimistic"], ["PT16H", "PT8H", "PT40H"])
        #expect(estimates(plan) == [nil, nil, nil])
        #expect(plan.notImported == ["the estimates of 1 task that are not in order"])
    }

    @Test func estimatesThatAreAllNothingWereNeverSet() throws {
        let plan = try plan(["Optimistic", "Most Likely", "Pessimistic"], Array(repeating: "PT0H0M0S", count: 3))
        #expect(estimates(plan) == [nil, nil, nil])
        #expect(plan.notImported == [])
    }

    @Test func anEstimateThatIsNoDurationIsListed() throws {
        let plan = try plan(["Optimistic"], ["2 days"])
        #expect(estimates(plan) == [nil, nil, nil])
        #expect(plan.notImported == ["unreadable custom field \"Optimistic\" of 1 task"])
    }

    @Test func aNegativeEstimateIsToldAsOne() throws {
        let plan = try plan(["Optimistic"], ["-PT8H0M0S"])
        #expect(plan.notImported == ["negative custom field \"Optimistic\" of 1 task"])
    }

    @Test func whatAFieldIsComputedByIsListed() throws {
        let definition = """
            <ExtendedAttribute><FieldID>1</FieldID><FieldName>Text1</FieldName><Alias>RAG</Alias>
            <RollupType>0</RollupType><CalculationType>1</CalculationType><ValuelistSortOrder>0</ValuelistSortOrder>
            <Default/><ValueList><Value><ID>1</ID></Value></ValueList></ExtendedAttribute>
            """
        let plan = try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate><ExtendedAttributes>\(definition)</ExtendedAttributes>")
        #expect(
            plan.notImported == [
                "custom field definition field CalculationType: 1 custom field definition",
                "custom field definition field ValueList: 1 custom field definition",
            ])
    }

    @Test func otherCustomFieldsAreListedByTheirLabel() throws {
        let plan = try plan(["RAG", ""], ["Green", "7", "secret", "0", "PT0H0M0S", "NA", ""])
        #expect(
            plan.notImported == [
                "custom field \"2\": 1 task", "custom field \"Field1\": 1 task", "custom field \"RAG\": 1 task",
            ])
    }

    @Test func formulasAreListed() throws {
        let definition =
            "<ExtendedAttribute><FieldID>1</FieldID><Alias>Sum</Alias><Formula>[Cost]+1</Formula></ExtendedAttribute>"
        let plan = try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate><ExtendedAttributes>\(definition)</ExtendedAttributes>")
        #expect(plan.notImported == ["formula of custom field \"Sum\""])
    }
}
