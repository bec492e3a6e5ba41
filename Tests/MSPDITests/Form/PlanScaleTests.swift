import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanScaleTests {
    @Test func twentyThousandTasksAreRead() throws {
        let tasks = (1...20_000).map { uid in
            // Ten lines before is a task of the same level.
            let link = uid > 10 ? "<PredecessorLink><PredecessorUID>\(uid - 10)</PredecessorUID></PredecessorLink>" : ""
            return PlanFixture.task(
                uid,
                """
                <OutlineLevel>\(uid % 10 + 1)</OutlineLevel><Start>2026-03-02T08:00:00</Start><Work>PT8H0M0S</Work>
                <Duration>PT16H0M0S</Duration><PercentComplete>50</PercentComplete>\(link)
                """)
        }
        let plan = try PlanFixture.plan(tasks: tasks.joined())
        #expect(plan.tasks.count == 20_000)
        #expect(plan.links.count == 19_990)
        #expect(plan.tasks.allSatisfy { $0["duration"] == 2 && $0["status"] == "IN_PROGRESS" })
        #expect(plan.notImported == ["task field Work: 20000 tasks"])
        let ids = Set(plan.tasks.compactMap { $0["id"]?.string })
        #expect(ids.count == 20_000)
        var seen: Set<String> = []
        for task in plan.tasks {
            if let parent = task["parent"]?.string { #expect(seen.contains(parent)) }
            seen.insert(task["id"]?.string ?? "")
        }
    }

    @Test func aDeepOutlineIsNoNesting() throws {
        let tasks = (1...5_000).map { PlanFixture.task($0, "<OutlineLevel>\($0)</OutlineLevel>") }
        let plan = try PlanFixture.plan(tasks: tasks.joined())
        #expect(plan.tasks.dropFirst().allSatisfy { $0["parent"] != .null })
    }

    @Test func whatIsSkippedTakesNoMemory() throws {
        let data = String(repeating: "<TimephasedData><Value>PT8H</Value></TimephasedData>", count: 50_000)
        let plan = try PlanFixture.plan(tasks: PlanFixture.task(1, data))
        #expect(plan.notImported.first == "timephased data of 1 task")
    }
}
