import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

/// Whoever listens looks at what is there after it began to listen, not before. Otherwise nobody would tell it of a
/// commit in between.
@Suite(.timeLimit(.minutes(30))) struct ListeningOrderTests {
    private typealias Store = ReadHookedStore<SQLiteStore>

    /// The reads of a request, one of which the commit follows. The request may have fewer.
    private static let reads = 1...6

    private let folder: TemporaryFolder
    private let bench: Workbench<Store>
    private let lobby: Workbench<Store>
    private let server: TestServer
    private let viewer: Client

    init() async throws {
        let registry = try Registry.builtIn()
        folder = try TemporaryFolder()
        let file = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        bench = try await Workbench(Store(base: file), registry)
        lobby = try await bench.another("lobby")
        server = try await TestServer(bench.store, registry, in: folder, clock: WallClock { Workbench<Store>.noon })
        let token = try await bench.accounts.createToken(
            for: bench.caller(.viewer).username.rawValue, name: "test", isReadOnly: true, validFor: nil)
        viewer = Client(server: server, project: "p1", token: token)
    }

    private func commit(afterRead read: Int) {
        bench.store.after(read) { [bench] in
            _ = try await bench.upload(
                ["created": [["id": "t1", "name": "New"]]], batch: "00000000-0000-4000-8000-000000000001")
        }
    }

    private func head(_ project: String) async throws -> Int64 {
        try await bench.store.base.read { try $0.project(project)?.head.rawValue ?? 0 }
    }

    @Test(arguments: reads) func aStreamMissesNoCommitWhileItBegins(read: Int) async throws {
        let since = try #require(try await viewer.ofAllProjects.page().json["timestamp"]?.text)
        let before = try await head("p1")
        commit(afterRead: read)
        let reader = try await EventReader(viewer, "?last_event_id=\(since)")
        #expect(try await reader.next()?.name == "hello")
        bench.store.afterNone()
        // What comes after it is told after it.
        _ = try await lobby.upload(
            ["created": [["id": "l1", "name": "Hello"]]], batch: "00000000-0000-4000-8000-000000000002")
        let pokes = try await reader.pokes(until: "lobby", try await head("lobby"))
        let after = try await head("p1")
        #expect(pokes["p1"] == (after > before ? after : nil))
        #expect(after > before || read > 1, "no read was followed by a commit")
    }

    @Test(arguments: reads) func aHeldPullMissesNoCommitWhileItBegins(read: Int) async throws {
        let since = try #require(try await viewer.page().json["timestamp"]?.text)
        commit(afterRead: read)
        let answer = try await viewer.page(["since": since, "wait": read > 3 ? "1" : "60"])
        guard try await head("p1").description != since else { return #expect(read > 2) }
        #expect(answer.ids("tasks") == ["t1"])
        #expect(!answer.isHeld || answer.wasWoken)
    }
}

/// A store that does something after one of its reads, before it returns what was read.
private struct ReadHookedStore<Base: SyncStore>: WrappingStore {
    private struct Hook {
        var left: Int
        let body: @Sendable () async throws -> Void
    }

    private final class State: Sendable { let hook = Mutex<Hook?>(nil) }

    let base: Base
    private let state = State()

    init(base: Base) { self.base = base }

    /// Calls `body` after the read with this number, counted from 1 from now on.
    func after(_ read: Int, _ body: @escaping @Sendable () async throws -> Void) {
        state.hook.withLock { $0 = Hook(left: read, body: body) }
    }

    /// Whatever was to be called after a later read is not.
    func afterNone() { state.hook.withLock { $0 = nil } }

    private func hasRead() async throws {
        let body = state.hook.withLock { hook in
            hook?.left -= 1
            guard let due = hook, due.left == 0 else { return nil as (@Sendable () async throws -> Void)? }
            hook = nil
            return due.body
        }
        try await body?()
    }

    func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await base.read(scope, body)
        try await hasRead()
        return value
    }

    func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await base.readInline(scope, body)
        try await hasRead()
        return value
    }

    func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await base.write(scope, priority: priority, needing: needs, body) }
}
