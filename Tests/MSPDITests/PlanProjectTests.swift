import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanProjectTests {
    @Test func theTitleNamesTheProject() throws {
        let plan = try PlanFixture.plan(settings: "<Name>file.mpp</Name><Title>Bridge</Title>")
        #expect(plan.name == "Bridge")
        #expect(plan.project["name"] == "Bridge")
    }

    @Test(arguments: ["bridge.mpp", "bridge.XML", "bridge.mpt", "bridge"])
    func withoutTitleTheNameCountsWithoutSuffix(name: String) throws {
        #expect(try PlanFixture.plan(settings: "<Name>\(name)</Name><Title> </Title>").name == "bridge")
    }

    @Test func thenTheSummaryTaskThenTheFileNamesTheProject() throws {
        let summary = "<Task><UID>0</UID><Name>Tower</Name><OutlineLevel>0</OutlineLevel></Task>"
        #expect(try PlanFixture.plan(tasks: summary).name == "Tower")
        #expect(try PlanFixture.read(PlanFixture.document(""), name: "dam.xml").name == "dam")
    }

    @Test func anOverlongNameIsCutAndListed() throws {
        let plan = try PlanFixture.plan(settings: "<Title>\(String(repeating: "é", count: 300))</Title>")
        #expect(plan.project["name"]?.string?.count == 255)
        #expect(plan.notImported.first == "the name of 1 project cut to 255 characters")
    }

    @Test func theStartDateIsTheFilesThenTheFirstTasksThenTheInjected() throws {
        let tasks =
            PlanFixture.task(1, "<Start>2026-05-04T08:00:00</Start>")
            + PlanFixture.task(2, "<Start>2026-05-03T08:00:00</Start>")
        let given = try PlanFixture.plan(settings: "<StartDate>2026-01-05T08:00:00</StartDate>", tasks: tasks)
        #expect(given.project["start_date"] == "2026-01-05")
        #expect(try PlanFixture.plan(tasks: tasks).project["start_date"] == "2026-05-03")
        let none = try PlanFixture.plan()
        #expect(none.project["start_date"] == "2030-01-01")
        #expect(none.notImported == ["the plan has no start date: 2030-01-01 is used"])
    }

    @Test func anImpossibleStartDateIsListed() throws {
        let plan = try PlanFixture.plan(settings: "<StartDate>2026-02-30T08:00:00</StartDate>")
        #expect(plan.project["start_date"] == "2030-01-01")
        #expect(plan.notImported.first == "the project's start date \"2026-02-30T08:00:00\", which is not a date")
    }

    @Test func theProjectNamesItsCalendar() throws {
        let plan = try PlanFixture.plan()
        #expect(plan.project["calendar"] == plan.calendar["id"])
        #expect(plan.calendar["id"] != nil)
    }

    @Test func rowsHaveOnlyWhatAClientMayWriteAndIdsOfTheirOwn() throws {
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(1) + PlanFixture.task(2))
        let ids = plan.rows.values.joined().compactMap { $0["id"]?.string }
        #expect(Set(ids).count == 4)
        #expect(ids.count == 4)
        #expect(plan.rows.values.joined().allSatisfy { $0["project"] == nil && $0["short_id"] == nil })
    }

    @Test func aPlanOfAnyNamespaceAndPrefixIsRead() throws {
        let plain = "<Project><Title>A</Title><Tasks><Task><UID>1</UID></Task></Tasks></Project>"
        #expect(try PlanFixture.read(plain).tasks.count == 1)
        let prefixed = """
            <p:Project xmlns:p='urn:x'><p:Title>A</p:Title>\
            <p:Tasks><p:Task><p:UID>1</p:UID></p:Task></p:Tasks></p:Project>
            """
        #expect(try PlanFixture.read(prefixed).tasks.count == 1)
    }
}
