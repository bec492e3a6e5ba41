@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

/// What listeners are told of, without a server.
@Suite struct CommitFeedTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<SQLiteStore>

    init() async throws {
        let (folder, registry) = (try TemporaryFolder(), try Registry.builtIn())
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        (self.folder, bench) = (folder, try await Workbench(store, registry))
    }

    private var feed: CommitFeed<SQLiteStore> {
        CommitFeed(store: bench.store, credentials: CredentialCheck(store: bench.store))
    }

    /// A token that was deleted after the request was authenticated, and before it began to listen.
    @Test func aCredentialThatIsGoneAlreadyIsToldAtOnce() async throws {
        let name = bench.caller(.viewer).username
        _ = try await bench.accounts.createToken(for: name.rawValue, name: "t", isReadOnly: false, validFor: nil)
        let token = try #require(
            try await bench.store.read { try $0.tokens(of: bench.caller(.viewer).userID, after: 0, limit: 1).first?.id }
        )
        let caller = Caller(
            userID: bench.caller(.viewer).userID, username: name, credential: ExactText("token:\(token)"))
        let feed = feed
        let told = Mutex(0)
        let kept = try await feed.listen(for: caller) { if case .revoked = $0 { told.withLock { $0 += 1 } } }
        #expect(told.withLock { $0 } == 0 && feed.count == 1)
        try await bench.store.write { _ = try $0.deleteToken(token, of: caller.userID) }
        _ = try await feed.listen(for: caller) { if case .revoked = $0 { told.withLock { $0 += 10 } } }
        #expect(told.withLock { $0 } >= 10)
        while feed.count > 0 { await Task.yield() }
        #expect(told.withLock { $0 } == 11)
        withExtendedLifetime(kept) {}
    }

    /// So that the pulls of a crowd do not all come at once.
    @Test(arguments: [2000, 2001]) func manyListenersOfOneCommitSpreadTheirPulls(listeners: Int) async throws {
        let feed = feed
        let told = Mutex<[Int]>([])
        var kept: [FeedListener] = []
        for _ in 0..<listeners {
            kept.append(
                try await feed.listen(for: bench.caller(.viewer)) {
                    if case .commits(let commits) = $0 { told.withLock { $0.append(commits.spreadMilliseconds) } }
                })
        }
        _ = try await bench.upload(
            ["created": [["id": "t1", "name": "A"]]], batch: "00000000-0000-4000-8000-000000000001")
        while told.withLock({ $0.count }) < listeners { await Task.yield() }
        #expect(Set(told.withLock { $0 }) == [listeners > 2000 ? listeners : 0])
        for listener in kept { feed.leave(listener) }
    }

    @Test func afterItStoppedNobodyListens() async throws {
        let feed = feed
        let told = Mutex<[Int]>([])
        for _ in 0..<3 {
            _ = try await feed.listen(for: bench.caller(.viewer)) {
                if case .stopping(let place, 3) = $0 { told.withLock { $0.append(place) } }
            }
        }
        feed.stop()
        #expect(told.withLock { $0.sorted() } == [0, 1, 2])
        await #expect(throws: Problem.self) { _ = try await feed.listen(for: bench.caller(.viewer)) { _ in } }
    }
}
