import SyncProtocol
import SyncTestKit
import Testing

/// A page is held in memory, so long texts must not make it arbitrarily large.
@Suite struct PageBytesTests {
    @Test func longTextsEndAPageEarlyAndNothingIsLost() async throws {
        let scene = try await Scene()
        let notes: JSON = .string(String(repeating: "x", count: 5 << 20))
        try await scene.insertTasks(["t1", "t2", "t3"], ["notes": notes])
        try await scene.insertTasks(["t4"])
        let member = try await scene.client(.member)
        let first = try await member.page(["collections": "tasks,risks"])
        #expect(first.body.count < 16 << 20 && first.at("/has_more") == true)
        let drain = try await member.drain(collections: "tasks,risks")
        #expect(drain.ids("tasks") == ["t1", "t2", "t3", "t4"] && drain.pageCounts == [2, 2])
    }
}
