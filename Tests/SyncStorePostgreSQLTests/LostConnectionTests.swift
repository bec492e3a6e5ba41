import PostgreSQLTestKit
import SyncProtocol
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Synchronization
import Testing

/// The server's processes are ended at random moments, commits among them.
@Suite(.timeLimit(.minutes(30))) struct LostConnectionTests {
    /// What became of the writes.
    private final class Tally: Sendable {
        let done = Mutex<[String]>([])
        let refused = Mutex(0)
    }

    @Test func everyAnsweredWriteIsThereOnce() async throws {
        let two = try await TwoServers(projects: 3)
        defer { two.close() }
        let (stores, tally) = (two.stores, Tally())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<12 {
                let (store, project) = (stores[writer % 2], writer % 3)
                group.addTask {
                    for round in 0..<40 { await write("w\(writer)-\(round)", to: store, project, tally) }
                }
            }
            let isDone = Mutex(false)
            let chaos = Task {
                while !isDone.withLock({ $0 }) {
                    try two.database.endOtherSessions()
                    await Task.yield()
                }
            }
            try await group.waitForAll()
            isDone.withLock { $0 = true }
            try await chaos.value
        }
        let (done, refused) = (tally.done.withLock { $0 }, tally.refused.withLock { $0 })
        var (kept, counted) = (0, 0)
        for project in 0..<3 {
            let live = try await stores[0].read(.project("p\(project)")) { transaction in
                (
                    try transaction.counts(project: "p\(project)")["tasks"]?.live ?? 0,
                    try transaction.project("p\(project)")?.head.rawValue ?? 0
                )
            }
            #expect(Int64(live.0) == live.1, "the counter and the head went up together")
            counted += live.0
        }
        for name in done {
            kept += try await stores[1].read(.accounts) { try $0.secret(name) } == "x" ? 1 : 0
        }
        #expect(kept == done.count, "no answered write is lost")
        #expect(counted >= done.count && counted <= done.count + refused, "none was applied twice")
        #expect(done.count > 100, "\(refused) of \(done.count + refused) writes were refused")
    }

    /// Otherwise each who waits in a line waits for the tries of all in front.
    @Test func whoComesWhileTheDatabaseIsSilentIsAnsweredAtOnce() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let store = two.stores[0]
        let throttle = try #require(store.throttle)
        try two.database.run("ALTER TABLE tidemark_nodes RENAME TO tidemark_nodes_away")
        while (try? await store.mark(of: .accounts)) != nil {}
        try two.database.endOtherSessions()
        let requests: [@Sendable () async throws -> Void] = [
            { _ = try await store.read(.accounts) { try $0.users() } },
            { try await store.commit(to: "p0") },
            { try await store.write(.accounts) { try $0.setSecret("s", "x") } },
            { _ = try await throttle.take("k", perMinute: 1, at: Workbench<ModelStore>.noon) },
        ]
        for request in requests {
            let problem = await #expect(throws: Problem.self) { try await request() }
            #expect(problem?.code == .busy)
        }
        try two.database.run("ALTER TABLE tidemark_nodes_away RENAME TO tidemark_nodes")
        while (try? await store.mark(of: .accounts)) == nil {}
        for request in requests { try await request() }
    }

    /// Stores a secret with a unique name, and counts.
    private func write(_ name: String, to store: PostgreSQLStore, _ project: Int, _ tally: Tally) async {
        let project = "p\(project)"
        do {
            try await store.write(.project(project)) { transaction in
                _ = try transaction.drawSeq(of: project)
                try transaction.setSecret(name, "x")
                try transaction.addCounts(
                    project: project, collection: "tasks", RowCounts(live: 1, tombstones: 0))
            }
            tally.done.withLock { $0.append(name) }
        } catch {
            #expect((error as? Problem)?.code == .busy, "\(error)")
            tally.refused.withLock { $0 += 1 }
        }
    }
}
