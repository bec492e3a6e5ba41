import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A change of a session is one transaction: it happens completely or not at all.
@Suite struct AccountFaultTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        store = try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        try await Installation.prepare(store)
        let clock = WallClock { Workbench<SQLiteStore>.noon }
        let accounts = AccountService(store: store, clock: clock, passwords: .quick)
        _ = try await accounts.addUser("alice", password: "correct horse")
    }

    /// The clock is `later` than the logins, which were at noon.
    private func sessions<Store: SyncStore>(
        _ store: Store, later: Duration = .zero
    ) async throws -> SessionService<Store> {
        SessionService(
            store: store, tokens: try await Installation.accessTokens(store), passwords: .quick,
            settings: AccountSettings(), clock: WallClock { Workbench<SQLiteStore>.noon.advanced(by: later) })
    }

    private func logIn() async throws -> TokenPair {
        try await sessions(store).logIn("alice", password: "correct horse", from: "here")
    }

    /// How many calls of the store failed before `body` succeeded. `after` runs after each failure.
    private func failures(
        later: Duration = .zero, of body: (SessionService<FaultyStore<SQLiteStore>>) async throws -> Void,
        after: () async throws -> Void
    ) async throws -> Int {
        for call in 1..<100 {
            do {
                try await body(try await sessions(FaultyStore(store, failingCall: call), later: later))
                return call - 1
            } catch is FaultyStore<ModelStore>.Fault {
                try await after()
            }
        }
        return 100
    }

    @Test func aRefreshThatFailsAtAnyCallLeavesItsTokenGood() async throws {
        var pair = try await logIn()
        let count = try await failures {
            pair = try await $0.refresh(pair.refresh, from: "here")
        } after: {
            pair = try await sessions(store).refresh(pair.refresh, from: "here")
        }
        #expect((5..<20).contains(count))
        _ = try await sessions(store).refresh(pair.refresh, from: "here")
    }

    @Test func aSessionThatCouldNotBeEndedIsEndedByTheNextTry() async throws {
        let first = try await logIn()
        let second = try await sessions(store).refresh(first.refresh, from: "here")
        let third = try await sessions(store).refresh(second.refresh, from: "here")
        let count = try await failures(later: .seconds(61)) {
            let sessions = $0
            do {
                _ = try await sessions.refresh(first.refresh, from: "here")
            } catch let problem as Problem {
                #expect(problem.code == .invalidRefreshToken)
            }
        } after: {
        }
        #expect(count == 4)
        await #expect(throws: Problem.self) { try await sessions(store).refresh(third.refresh, from: "here") }
    }
}
