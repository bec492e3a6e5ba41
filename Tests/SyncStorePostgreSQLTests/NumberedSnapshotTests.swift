import NIOCore
import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// A user-wide page whose head is its timestamp is of that commit, also if another server commits all the time, between
/// the numbering of commits and the page's snapshot too.
@Suite(.timeLimit(.minutes(30))) struct NumberedSnapshotTests {
    @Test func aDrainThatCountsLacksNoRow() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let bench = try await Workbench(two.stores[0], Registry.builtIn(), project: "w1")
        try await bench.edit { try $0.insert("tasks", "t1", ["name": "0"]) }
        let other = try await bench.moved(to: two.stores[1])
        let counted = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    let name = JSON.string("\(number)")
                    try await other.edit { try $0.update("tasks", "t1", ["name": name]) }
                }
            }
            var counted = 0
            for _ in 0..<400 where try await isCounted(bench) { counted += 1 }
            group.cancelAll()
            return counted
        }
        #expect(counted > 0)
    }

    /// Reads one page of everything. Returns whether it counts.
    private func isCounted(_ bench: Workbench<PostgreSQLStore>) async throws -> Bool {
        let page = try await bench.pulls.page(UserPullRequest(since: .zero), for: bench.caller(.member))
        let answer = try JSON(parsing: page.body.readableBytesView)
        guard answer["timestamp"]?.int == page.head else { return false }
        let tasks = answer["changes"]?["tasks"]?["updated"]?.array ?? []
        #expect(tasks.map { $0["id"] } == ["t1"], "at \(page.head)")
        #expect(answer["digest"]?["w1"]?["tasks"]?["count"] == 1, "at \(page.head)")
        return true
    }
}
