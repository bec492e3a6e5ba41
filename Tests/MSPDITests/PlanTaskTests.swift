import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanTaskTests {
    @Test func everyFieldOfATaskArrives() throws {
        let fields = """
            <WBS>A.1</WBS><OutlineNumber>1</OutlineNumber><OutlineLevel>1</OutlineLevel>
            <Start>2026-03-02T08:00:00</Start><Finish>2026-03-06T17:00:00</Finish><Duration>PT40H0M0S</Duration>
            <EarlyStart>2026-03-03T08:00:00</EarlyStart><EarlyFinish>2026-03-07T17:00:00</EarlyFinish>
            <LateStart>2026-03-04T08:00:00</LateStart><LateFinish>2026-03-08T17:00:00</LateFinish>
            <ActualStart>2026-03-02T09:00:00</ActualStart><ActualFinish>NA</ActualFinish>
            <TotalSlack>9600</TotalSlack><FreeSlack>-4800</FreeSlack><Critical>1</Critical><Milestone>0</Milestone>
            <PercentComplete>42.5</PercentComplete><Notes>One &amp; two</Notes>
            """
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(7, fields))
        #expect(
            plan.task("T7").filter { $0.key != "id" } == [
                "name": "T7", "parent": nil, "wbs_path": "A.1", "rank": "Ha1", "status": "IN_PROGRESS", "duration": 5,
                "percent_complete": 42.5, "notes": "One & two", "planned_start": "2026-03-02",
                "scheduled_start": "2026-03-02", "early_start": "2026-03-03", "early_finish": "2026-03-07",
                "late_start": "2026-03-04", "late_finish": "2026-03-08", "actual_start": "2026-03-02",
                "actual_finish": nil, "total_float": 2, "free_float": -1, "is_critical": true, "is_milestone": false,
                "optimistic_duration": nil, "most_likely_duration": nil, "pessimistic_duration": nil, "assignee": nil,
            ])
        #expect(plan.notImported == [])
    }

    @Test func whatTheFileDoesNotSayHasDefaults() throws {
        let plan = try PlanFixture.plan(
            tasks: PlanFixture.task(
                1, "<Start>2026-03-02</Start><Finish>2026-03-04</Finish><OutlineNumber>1</OutlineNumber>"))
        let task = plan.task("T1")
        #expect(task["early_start"] == "2026-03-02")
        #expect(task["early_finish"] == "2026-03-04")
        #expect(task["wbs_path"] == "1")
        #expect(task["status"] == "NOT_STARTED")
        #expect(task["is_critical"] == .null)
        #expect(task["total_float"] == .null)
        #expect(task["duration"] == 1)
    }

    @Test(arguments: [
        ("<PercentComplete>100</PercentComplete>", "COMPLETE"),
        ("<PercentComplete>1</PercentComplete>", "IN_PROGRESS"),
        ("<ActualStart>2026-01-01T08:00:00</ActualStart>", "IN_PROGRESS"),
        ("<PercentComplete>0</PercentComplete>", "NOT_STARTED"),
        ("<PercentComplete>100</PercentComplete><Active>0</Active>", "ON_HOLD"),
    ])
    func theStatusFollowsFromProgress(fields: String, status: String) throws {
        #expect(try PlanFixture.plan(tasks: PlanFixture.task(1, fields)).task("T1")["status"] == .string(status))
    }

    @Test func inactiveTasksAreListed() throws {
        let tasks = (1...3).map { PlanFixture.task($0, $0 < 3 ? "<Active>0</Active>" : "") }.joined()
        #expect(try PlanFixture.plan(tasks: tasks).notImported.last == "2 inactive tasks became ON_HOLD")
    }

    @Test func progressIsClampedAndListed() throws {
        let tasks =
            PlanFixture.task(1, "<PercentComplete>140</PercentComplete>")
            + PlanFixture.task(2, "<PercentComplete>-1</PercentComplete>")
        let plan = try PlanFixture.plan(tasks: tasks)
        #expect(plan.each("percent_complete") == [100, 0])
        #expect(plan.notImported.contains("progress of 2 tasks outside 0 to 100 percent"))
    }

    @Test(arguments: [
        "2026-02-30T08:00:00", "soon", "12026-01-01T00:00:00", "0000-01-01T00:00:00", "2026-01-01T25:00:00",
    ])
    func anImpossibleDateIsNullAndListed(date: String) throws {
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(1, "<LateStart>\(date)</LateStart>"))
        #expect(plan.task("T1")["late_start"] == .null)
        #expect(plan.notImported.contains("unreadable LateStart of 1 task"))
    }

    @Test func slackIsRoundedToDaysAndListed() throws {
        let plan = try PlanFixture.plan(
            tasks: PlanFixture.task(1, "<TotalSlack>7200</TotalSlack><FreeSlack>x</FreeSlack>"))
        #expect(plan.task("T1")["total_float"] == 2)
        #expect(plan.task("T1")["free_float"] == .null)
        #expect(plan.notImported.contains("total float of 1 task rounded to whole days"))
        #expect(plan.notImported.contains("unreadable FreeSlack of 1 task"))
    }

    @Test func overlongTextsAreCutToTheirFields() throws {
        let long = String(repeating: "x", count: 600)
        let plan = try PlanFixture.plan(tasks: "<Task><UID>1</UID><Name>\(long)</Name><WBS>\(long)</WBS></Task>")
        #expect(plan.tasks[0]["name"]?.string?.count == 512)
        #expect(plan.tasks[0]["wbs_path"]?.string?.count == 255)
        #expect(plan.notImported.contains("the name of 1 task cut to 512 characters"))
        #expect(plan.notImported.contains("the WBS code of 1 task cut to 255 characters"))
    }

    @Test func aTaskWithoutNameIsNamedAndListed() throws {
        let plan = try PlanFixture.plan(tasks: "<Task><UID>4</UID><Name> </Name></Task>")
        #expect(plan.each("name") == ["(unnamed task 4)"])
        #expect(plan.notImported.contains("task 4 has no name: it became \"(unnamed task 4)\""))
    }
}
