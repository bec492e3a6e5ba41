import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanOmissionTests {
    private func lines(_ tasks: [String], settings: String = "", people: String = "") throws -> [String] {
        try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>" + settings,
            tasks: tasks.enumerated().map { PlanFixture.task($0 + 1, $1) }.joined(), people: people
        ).notImported
    }

    @Test func fieldsThatHaveNoPlaceAreCountedByTask() throws {
        let fields = """
            <Cost>12.5</Cost><Deadline>2026-05-05T17:00:00</Deadline><Priority>700</Priority>\
            <ConstraintType>4</ConstraintType>
            <Baseline><Number>0</Number><Cost>3</Cost></Baseline><Baseline><Number>1</Number></Baseline>
            <TimephasedData><Type>1</Type><Value>PT8H</Value></TimephasedData><Work>PT8H0M0S</Work>
            <OutlineCode><FieldID>1</FieldID></OutlineCode><Invented>x</Invented>
            """
        let expected = [
            "task field Cost: 2 tasks", "task field Deadline: 2 tasks", "task field Priority: 2 tasks",
            "task field ConstraintType: 2 tasks", "baselines of 2 tasks", "timephased data of 2 tasks",
            "task field Work: 2 tasks", "task field OutlineCode: 2 tasks", "task field Invented: 2 tasks",
        ]
        #expect(try lines([fields, "", fields]) == expected)
    }

    @Test func fieldsThatHoldNothingAreNotListed() throws {
        let fields = """
            <Cost>0</Cost><Work>PT0H0M0S</Work><ActualWork>P0D</ActualWork><FixedCost>0.00</FixedCost>\
            <Contact></Contact>
            <Deadline>NA</Deadline><IsSubproject>false</IsSubproject><Priority>500</Priority>\
            <CalendarUID>-1</CalendarUID>
            """
        #expect(try lines([fields]) == [])
    }

    @Test func bookkeepingIsNotListed() throws {
        let fields = """
            <ID>1</ID><GUID>ab</GUID><CreateDate>2026-01-01T00:00:00</CreateDate><Summary>1</Summary><Type>1</Type>
            <Manual>1</Manual><EffortDriven>1</EffortDriven><Estimated>1</Estimated>\
            <RemainingDuration>PT8H</RemainingDuration>
            """
        #expect(try lines([fields], settings: "<SaveVersion>14</SaveVersion><CurrencyCode>EUR</CurrencyCode>") == [])
    }

    @Test func thingsOfTheProjectAreListed() throws {
        let settings = "<Author>Ann</Author><OutlineCodes><OutlineCode/><OutlineCode/></OutlineCodes><WBSMasks/>"
        #expect(
            try lines([], settings: settings) == ["project field Author", "project element OutlineCodes: 2 entries"])
    }

    @Test func thingsOfResourcesAndAssignmentsAreListed() throws {
        let people = """
            <Resources><Resource><UID>1</UID><Name>ada</Name><MaxUnits>0.5</MaxUnits>\
            <StandardRate>9</StandardRate></Resource>
            </Resources><Assignments><Assignment><TaskUID>1</TaskUID><ResourceUID>1</ResourceUID><Units>1.00</Units>
            <Work>PT8H</Work><TimephasedData><Type>1</Type></TimephasedData></Assignment></Assignments>
            """
        #expect(
            try lines([""], people: people) == [
                "resource field MaxUnits: 1 resource", "resource field StandardRate: 1 resource",
                "assignment field Work: 1 assignment", "timephased data of 1 assignment",
            ])
    }

    @Test func linesOfOneKindHaveAnEnd() {
        let omissions = Omissions()
        for number in 1...1003 { omissions.add("line \(number)", kind: "link") }
        #expect(omissions.lines.count == 1001)
        #expect(omissions.lines.last == "and 3 more links")
    }

    @Test func aTextWithoutEndIsCutAndListed() throws {
        let notes = "<Notes>" + String(repeating: "0123456789 abcde\n", count: 70_000) + "</Notes>"
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(1, notes))
        let count = plan.task("T1")["notes"]?.string?.utf8.count ?? 0
        #expect((1_000_000...1_048_576).contains(count))
        #expect(plan.notImported.first == "the ends of 1 text longer than 1 MiB")
    }
}
