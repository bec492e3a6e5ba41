import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// Clients that read large streams slowly hold nobody up but themselves.
@Suite(.timeLimit(.minutes(30))) struct SlowStreamTests {
    @Test func besideTwoSlowReadersShortStreamsGoOnAndAThirdLargeOneIsBusy() async throws {
        let (database, registry) = (try TestDatabase(), try Registry.builtIn())
        let store = try database.open(registry)
        defer { store.close() }
        let bench = try await Workbench(store, registry)
        try await bench.edit { editor in
            for number in 0..<200 { try editor.insert("tasks", "t\(number)", ["name": "T"]) }
        }
        let hold = HeldDeadline()
        let pulls = try await PullService(
            store: store, registry: registry, limits: StreamSettings(deadline: hold.deadline, chunkBytes: 5000))
        func stream(_ role: Role, since: SyncSeq = .zero) async throws -> PullStream {
            try await pulls.stream(PullRequest(project: bench.project, since: since), for: bench.caller(role))
        }
        let slow = [try await stream(.owner), try await stream(.member)]
        for _ in slow { await hold.untilBlocked() }
        let head = try await store.read { try $0.project(bench.project)!.head }
        for role in [Role.owner, .member, .viewer] {
            #expect(try await stream(role, since: head).isWhole)
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 { group.addTask { try await stream(.viewer, since: head).isWhole } }
            for try await isWhole in group { #expect(isWhole) }
        }
        _ = try await pulls.page(PullRequest(project: bench.project), for: bench.caller(.viewer))
        let problem = await #expect(throws: Problem.self) { try await stream(.viewer) }
        #expect(problem?.code == .busy)
        #expect(store.metrics.shared?.pools.first { $0.name == "stream" }?.used == 2)
        withExtendedLifetime(slow) {}
    }
}
