import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanOutlineTests {
    private func outline(_ levels: [Int]) -> String {
        levels.enumerated().map { PlanFixture.task($0 + 1, "<OutlineLevel>\($1)</OutlineLevel>") }.joined()
    }

    @Test func levelsInDocumentOrderMakeTheTree() throws {
        let plan = try PlanFixture.plan(tasks: outline([1, 2, 3, 3, 2, 1, 2]))
        #expect(plan.parents == [nil, "T1", "T2", "T2", "T1", nil, "T6"])
    }

    @Test func aLevelThatIsLeftOutHangsOnTheNearestLowerOne() throws {
        #expect(try PlanFixture.plan(tasks: outline([1, 4, 3, 2, 5])).parents == [nil, "T1", "T1", "T1", "T4"])
        #expect(try PlanFixture.plan(tasks: outline([3, 2, 1])).parents == [nil, nil, nil])
    }

    @Test func withoutLevelTheOutlineNumberCounts() throws {
        let numbers = ["1", "1.1", "1.1.1", "2"]
        let tasks = numbers.enumerated().map { PlanFixture.task($0 + 1, "<OutlineNumber>\($1)</OutlineNumber>") }
        #expect(try PlanFixture.plan(tasks: tasks.joined()).parents == [nil, "T1", "T2", nil])
        #expect(try PlanFixture.plan(tasks: PlanFixture.task(1) + PlanFixture.task(2)).parents == [nil, nil])
    }

    @Test(arguments: ["<OutlineLevel>0</OutlineLevel>", "", "<OutlineNumber>0</OutlineNumber>"])
    func theProjectSummaryIsNoTask(level: String) throws {
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(0, level) + outline([1]))
        #expect(plan.each("name") == ["T1"])
        #expect(plan.parents == [nil])
    }

    @Test func notesOfTheProjectSummaryAreTheDescription() throws {
        let plan = try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>",
            tasks: PlanFixture.task(0, "<Notes>n</Notes><Work>PT8H</Work>"))
        #expect(plan.project["description"] == "n")
        #expect(plan.notImported == [])
    }

    /// ProjectLibre gives its summary a UID like any other.
    @Test func theOnlyTaskAtLevelZeroIsTheProject() throws {
        let summary = PlanFixture.task(7, "<OutlineLevel>0</OutlineLevel><Notes>n</Notes><Work>PT8H</Work>")
        let link = "<PredecessorLink><PredecessorUID>7</PredecessorUID></PredecessorLink>"
        let plan = try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>",
            tasks: summary + outline([1, 2]) + PlanFixture.task(3, "<OutlineLevel>1</OutlineLevel>\(link)"))
        #expect(plan.each("name") == ["T1", "T2", "T3"])
        #expect(plan.parents == [nil, "T1", nil])
        #expect(plan.name == "T7")
        #expect(plan.project["description"] == "n")
        #expect(plan.notImported == ["link 7 -> 3 (\"T7\" -> \"T3\"): leads to the project's summary"])
    }

    @Test(arguments: [[0, 0, 1], [0], [1, 0, 1]]) func levelsThatBeginWithZeroAreTasks(levels: [Int]) throws {
        let plan = try PlanFixture.plan(tasks: outline(levels))
        #expect(plan.tasks.count == levels.count)
    }

    @Test func theSummaryWithUIDZeroComesFirst() throws {
        let zero = "<OutlineLevel>0</OutlineLevel>"
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(7, zero) + PlanFixture.task(0, zero) + outline([1]))
        #expect(plan.each("name") == ["T7", "T1"])
    }

    @Test func tasksKeepTheOrderOfTheirLines() throws {
        let lines = ["3", "1", "2.1", "2", "A", ""].enumerated().map { PlanFixture.task($0 + 1, "<WBS>\($1)</WBS>") }
        let plan = try PlanFixture.plan(tasks: lines.joined())
        let written = PlanWriter(rows: plan.rows, users: []).write()
        #expect(WrittenDocument(written.text).tasks.map { $0["Name"] } == (1...6).map { "T\($0)" })
        #expect(try PlanFixture.read(written.text).each("wbs_path") == plan.each("wbs_path"))
    }

    /// Ranks first, then the numbers of the codes, then creation: as the console shows the tasks.
    @Test func siblingsAreWrittenByTheirKeys() throws {
        func row(_ name: String, _ rank: JSON, _ code: JSON, _ created: JSON) -> [String: JSON] {
            ["id": .string(name), "name": .string(name), "rank": rank, "wbs_path": code, "short_id": created]
        }
        let rows = [
            row("unsent", nil, nil, nil), row("created", nil, nil, "00000001"), row("ten", nil, "1.10", "00000002"),
            row("nine", nil, "1.9", "00000003"), row("late", "V", "1", "00000004"), row("early", "C", "9", "00000005"),
        ]
        let written = PlanWriter(rows: ["tasks": rows], users: []).write()
        let names = ["early", "late", "nine", "ten", "created", "unsent"]
        #expect(WrittenDocument(written.text).tasks.map { $0["Name"] } == names)
        let plan = try PlanFixture.read(written.text)
        #expect(plan.each("name") == names.map(JSON.string) && plan.each("rank").allSatisfy { $0 != .null })
        #expect(OrderKey.sorted(plan.tasks.reversed()).map { $0["name"] } == names.map(JSON.string))
    }

    @Test func theTaskZeroBelowTheTopIsATask() throws {
        #expect(try PlanFixture.plan(tasks: PlanFixture.task(0, "<OutlineLevel>1</OutlineLevel>")).tasks.count == 1)
    }

    @Test func blankLinesAreSkippedAndListed() throws {
        let tasks = "<Task><UID>1</UID><IsNull>1</IsNull></Task><Task><UID>3</UID><IsNull>1</IsNull></Task>"
        let plan = try PlanFixture.plan(tasks: tasks + PlanFixture.task(2))
        #expect(plan.each("name") == ["T2"])
        #expect(plan.notImported.first == "2 blank lines between tasks")
    }

    @Test(arguments: [
        ("<Task>\n<UID>1</UID></Task>\n<Task><Name>x</Name></Task>", 5, "a task has no UID"),
        ("<Task><UID>8</UID></Task>\n<Task><UID>8</UID></Task>", 4, "two tasks have the UID 8"),
        ("<Task><UID>eight</UID></Task>", 3, "a task has the UID \"eight\", which is not a whole number"),
        ("<Task><UID>1.5</UID></Task>", 3, "a task has the UID \"1.5\", which is not a whole number"),
    ])
    func aTaskWithoutUIDOfItsOwnIsRefused(tasks: String, line: Int, reason: String) throws {
        let error = try #require(PlanFixture.error(PlanFixture.document("<Tasks>\(tasks)</Tasks>")))
        #expect(error.line == line)
        #expect(error.reason == reason)
        #expect(error.description.contains("plan.xml:\(line): \(reason). "))
    }

    @Test func otherSectionsInsideTheTasksDoNoHarm() throws {
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(1) + "<Resources/><Resource><UID>1</UID></Resource>")
        #expect(plan.tasks.count == 1)
    }
}
