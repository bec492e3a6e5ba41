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
            <Manual>0</Manual><EffortDriven>0</EffortDriven><Estimated>1</Estimated>\
            <RemainingDuration>PT8H</RemainingDuration>
            """
        #expect(try lines([fields], settings: "<SaveVersion>14</SaveVersion><CurrencyCode>EUR</CurrencyCode>") == [])
    }

    /// What Project computes depends on these. Each has one value that the export has, too.
    @Test(arguments: [
        ("Manual", "1", "0"), ("EffortDriven", "1", "false"), ("IgnoreResourceCalendar", "1", "0"), ("Type", "0", "1"),
        ("Type", "2", "1.0"), ("LevelAssignments", "0", "true"), ("LevelingCanSplit", "0", "1"),
        ("Priority", "0", "500"), ("CalendarUID", "3", "-1"),
    ])
    func whatATaskIsComputedByIsListedUnlessAnExportHasIt(name: String, other: String, written: String) throws {
        let tasks = ["<\(name)>\(other)</\(name)>", "<\(name)>\(written)</\(name)>", "<\(name)></\(name)>"]
        #expect(try lines(tasks) == ["task field \(name): 1 task"])
    }

    @Test(arguments: [
        ("HonorConstraints", "0", "1"), ("MultipleCriticalPaths", "1", "0"), ("CriticalSlackLimit", "2", "0"),
    ])
    func soIsWhatAProjectIsComputedBy(name: String, other: String, written: String) throws {
        #expect(try lines([], settings: "<\(name)>\(other)</\(name)>") == ["project field \(name)"])
        #expect(try lines([], settings: "<\(name)>\(written)</\(name)>") == [])
    }

    @Test func anExportHasTheValuesThatNeedNoLine() throws {
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(1))
        let root = WrittenDocument(PlanWriter(rows: plan.rows, users: []).write().text).root
        let task = try #require(root.all("Tasks").first?.all("Task").last)
        for (kind, record) in [(RecordKind.project, root), (.task, task)] {
            for (name, use) in kind.elements {
                guard case .setting(let value) = use, let text = record[name] else { continue }
                #expect(text == value, "\(kind) \(name)")
            }
        }
        #expect(root["HonorConstraints"] == "1" && task["Manual"] == "0" && task["Type"] == "1")
    }

    @Test func aPlanThatIsScheduledFromItsFinishIsListed() throws {
        let settings = "<ScheduleFromStart>0</ScheduleFromStart><FinishDate>2026-06-30T17:00:00</FinishDate>"
        #expect(
            try lines(["<Finish>2026-06-30T17:00:00</Finish>"], settings: settings) == [
                "project field ScheduleFromStart: the plan is scheduled from its finish, a project from its start",
                "project field FinishDate: 2026-06-30T17:00:00",
            ])
    }

    @Test func theFinishOfAPlanIsListedUnlessItsTasksSayIt() throws {
        let settings = "<ScheduleFromStart>1</ScheduleFromStart><FinishDate>2026-06-30T17:00:00</FinishDate>"
        let tasks = ["<Finish>2026-06-30T12:00:00</Finish>", "<Finish>2026-05-30T12:00:00</Finish>"]
        #expect(try lines(tasks, settings: settings) == [])
        #expect(
            try lines([tasks[1]], settings: settings) == ["project field FinishDate: 2026-06-30T17:00:00"])
    }

    @Test func whatNobodyKnowsIsListedEvenIfItIsZero() throws {
        let odd = "<Odd>0</Odd>"
        let lines = try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate><Strange>false</Strange><Blank/>",
            tasks: PlanFixture.task(0, odd)
                + PlanFixture.task(
                    1, "\(odd)<PredecessorLink><PredecessorUID>2</PredecessorUID>\(odd)</PredecessorLink>")
                + PlanFixture.task(2, "<ExtendedAttribute><FieldID>1</FieldID>\(odd)</ExtendedAttribute>") + "<Line/>",
            calendars: """
                <Calendars><Calendar><UID>1</UID>\(odd)<WeekDays><WeekDay><DayType>1</DayType>\(odd)</WeekDay>
                </WeekDays>
                <Exceptions><Exception><TimePeriod><FromDate>2026-01-01</FromDate></TimePeriod>\(odd)</Exception>
                </Exceptions></Calendar></Calendars>
                """,
            people: """
                <Resources><Resource><UID>1</UID><Name>ada</Name>\(odd)</Resource></Resources>
                <Assignments><Assignment><TaskUID>1</TaskUID><ResourceUID>1</ResourceUID>\(odd)</Assignment>
                </Assignments>
                """
        ).notImported
        #expect(
            Set(lines) == [
                "project field Strange", "project summary field Odd: 1 project summary", "task field Odd: 1 task",
                "link field Odd: 1 link", "custom field value field Odd: 1 custom field value",
                "calendar field Odd: 1 calendar", "weekday field Odd: 1 weekday", "unknown Line in Tasks: 1 element",
                "calendar exception field Odd: 1 calendar exception", "resource field Odd: 1 resource",
                "assignment field Odd: 1 assignment",
            ])
    }

    @Test func namesWithoutEndAreCounted() throws {
        let odd = (0..<10_050).map { "<Odd\($0)>1</Odd\($0)>" }
        let lines = try lines([odd.joined()])
        #expect(lines.count == 10_001)
        #expect(lines.last == "and 50 more lines of other kinds")
    }

    @Test func whatOnlyTheSummaryOfTheProjectHasIsListed() throws {
        let fields = """
            <Work>PT8H</Work><Manual>1</Manual><Hyperlink>x</Hyperlink><Deadline>2026-05-05T17:00:00</Deadline>
            """
        let plan = try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate><Title>Hall</Title>",
            tasks: PlanFixture.task(0, fields) + PlanFixture.task(1))
        #expect(
            plan.notImported == [
                "project summary field Manual: 1 project summary", "project summary field Hyperlink: 1 project summary",
                "project summary field Deadline: 1 project summary", "the name of the project's summary: \"T0\"",
            ])
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
