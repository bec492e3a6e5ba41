import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanRecurrenceTests {
    private func plan(_ starts: [String], time: String = "T09:30:00") throws -> ImportedPlan {
        let parent = PlanFixture.task(1, "<OutlineLevel>1</OutlineLevel><Recurring>1</Recurring>")
        let children = starts.enumerated().map { number, date in
            PlanFixture.task(number + 2, "<OutlineLevel>2</OutlineLevel><Start>\(date)\(time)</Start>")
        }
        return try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>", tasks: parent + children.joined())
    }

    @Test(
        arguments: [
            (["2026-01-05", "2026-01-06", "2026-01-07"], ["frequency": "DAILY", "interval": 1]),
            (["2026-01-05", "2026-01-08", "2026-01-11"], ["frequency": "DAILY", "interval": 3]),
            (["2026-01-11", "2026-01-05", "2026-01-08"], ["frequency": "DAILY", "interval": 3]),
            (["2026-01-05", "2026-01-12", "2026-01-19"], ["frequency": "WEEKLY", "interval": 1, "weekdays": 1]),
            (["2026-01-04", "2026-01-18", "2026-02-01"], ["frequency": "WEEKLY", "interval": 2, "weekdays": 64]),
            (
                ["2026-01-05", "2026-01-07", "2026-01-12", "2026-01-14"],
                ["frequency": "WEEKLY", "interval": 1, "weekdays": 5]
            ),
            (
                ["2026-01-07", "2026-01-09", "2026-01-19", "2026-01-21", "2026-01-23", "2026-02-02"],
                ["frequency": "WEEKLY", "interval": 2, "weekdays": 21]
            ),
            (
                ["2026-01-08", "2026-01-09", "2026-01-12", "2026-01-13", "2026-01-14", "2026-01-15", "2026-01-16"],
                ["frequency": "WEEKLY", "interval": 1, "weekdays": 31]
            ),
            (["2026-01-15", "2026-02-15", "2026-03-15"], ["frequency": "MONTHLY", "interval": 1, "day_of_month": 15]),
            (["2026-01-31", "2026-02-28", "2026-03-31"], ["frequency": "MONTHLY", "interval": 1, "day_of_month": 31]),
            (["2026-01-10", "2026-04-10", "2026-07-10"], ["frequency": "MONTHLY", "interval": 3, "day_of_month": 10]),
            (["2026-03-01", "2027-03-01"], ["frequency": "MONTHLY", "interval": 12, "day_of_month": 1]),
        ] as [([String], [String: JSON])])
    func aRegularStepBecomesARule(starts: [String], expected: [String: JSON]) throws {
        let plan = try plan(starts)
        var rule = try #require(plan.rules.first)
        #expect(rule.removeValue(forKey: "task") == plan.task("T1")["id"])
        #expect(rule.removeValue(forKey: "id") != nil)
        #expect(rule.removeValue(forKey: "time_of_day") == "09:30:00")
        #expect(rule.removeValue(forKey: "end_type") == "AFTER_N")
        #expect(rule.removeValue(forKey: "end_count") == .int(Int64(starts.count)))
        #expect(rule == expected)
        #expect(plan.rules.count == 1)
        #expect(plan.notImported == [])
        #expect(plan.tasks.count == starts.count + 1)
    }

    @Test(arguments: [
        [], ["2026-01-05"], ["2026-01-05", "2026-01-05"], ["2026-01-05", "2026-01-06", "2026-01-09"],
        ["2026-01-05", "2026-02-09", "2026-03-17"], ["2024-01-01", "2026-01-02"],
        ["2026-01-05", "2026-01-07", "2026-01-12", "2026-01-19", "2026-01-21"],
    ])
    func withoutRegularStepThereIsNoRule(starts: [String]) throws {
        let plan = try plan(starts)
        #expect(plan.rules == [])
        let number = starts.count == 1 ? "1 occurrence" : "\(starts.count) occurrences"
        #expect(plan.notImported == ["recurrence of \"T1\": no regular step between \(number)"])
        #expect(plan.tasks.count == starts.count + 1)
    }

    @Test func occurrencesThatSayThatTheyRecurHaveNoRuleOfTheirOwn() throws {
        let tasks = (1...3).map { number in
            let start = "<Start>2026-01-0\(number + 4)T08:00:00</Start>"
            return PlanFixture.task(
                number, "<OutlineLevel>\(number == 1 ? 1 : 2)</OutlineLevel><Recurring>1</Recurring>\(start)")
        }
        let plan = try PlanFixture.plan(tasks: tasks.joined())
        #expect(plan.rules.map { $0["task"] } == [plan.task("T1")["id"]])
        #expect(plan.notImported == [])
    }

    @Test func occurrencesAtDifferentTimesAreListed() throws {
        let tasks =
            PlanFixture.task(1, "<OutlineLevel>1</OutlineLevel><Recurring>1</Recurring>")
            + PlanFixture.task(2, "<OutlineLevel>2</OutlineLevel><Start>2026-01-05T08:00:00</Start>")
            + PlanFixture.task(3, "<OutlineLevel>2</OutlineLevel><Start>2026-01-06T10:00:00</Start>")
        let plan = try PlanFixture.plan(tasks: tasks)
        #expect(plan.rules.first?["time_of_day"] == "08:00:00")
        #expect(plan.notImported == ["times of day of the occurrences of \"T1\", which differ"])
    }

    @Test func occurrencesWithoutTimeLeaveTheDefault() throws {
        #expect(try plan(["2026-01-05", "2026-01-06"], time: "").rules.first?["time_of_day"] == nil)
    }

    @Test func weeksBefore1970AreAsLongAsOthers() throws {
        let plan = try plan(["1969-12-22", "1969-12-24", "1969-12-29", "1969-12-31", "1970-01-05", "1970-01-07"])
        #expect(plan.rules.first?["weekdays"] == 5)
    }
}
