import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// The mark by which a server knows that its cache of credentials is still valid.
@Suite struct AccountMarkTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<SQLiteStore>
    private let guest: SQLiteStore

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        guest = try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .guest, mender: DraftMender())
        let user = bench.caller(.member).userID
        try await bench.store.write { transaction in
            let session = StoredSession(
                id: "s", userID: user, createdAt: Instant(milliseconds: 0), expiresAt: Instant(milliseconds: 9))
            try transaction.createSession(session)
            _ = try transaction.createToken(
                NewToken(
                    userID: user, name: "t", isReadOnly: false, createdAt: Instant(milliseconds: 0), expiresAt: nil),
                hash: "h")
        }
    }

    private enum Change: CaseIterable {
        case disable, rename, deleteToken, deleteSession, deleteSessions, forgetSessions, setPassword

        func make(_ transaction: any WriteTransaction, _ user: Int64) throws {
            switch self {
            case .disable: try transaction.setDisabled(true, user: user)
            case .rename: try transaction.setDisplayName("N", user: user)
            case .deleteToken: _ = try transaction.deleteToken(transaction.token(hash: "h")!.id, of: user)
            case .deleteSession: try transaction.deleteSession("s")
            case .deleteSessions: try transaction.deleteSessions(of: user)
            case .forgetSessions: try transaction.forgetSessions(before: Instant(milliseconds: 10))
            case .setPassword: try transaction.setPasswordHash("p", user: user)
            }
        }
    }

    @Test(arguments: Change.allCases, [true, false])
    private func whateverTakesFromAnAccountChangesTheMark(change: Change, byGuest: Bool) async throws {
        let before = try bench.store.mark(of: .accounts)
        let user = bench.caller(.member).userID
        try await (byGuest ? guest : bench.store).write { try change.make($0, user) }
        let after = try bench.store.mark(of: .accounts)
        #expect(before != after && before.isOlder(than: after))
        #expect(try bench.store.mark(of: .accounts) == after)
    }

    @Test func whatIsWrittenToProjectsLeavesIt() async throws {
        let (before, commit) = try (bench.store.mark(of: .accounts), bench.store.mark(of: .project("p1")))
        try await bench.edit { try $0.insert("tasks", "t", ["name": "T"]) }
        #expect(try bench.store.mark(of: .project("p1")) != commit)
        #expect(try bench.store.mark(of: .accounts) == before)
    }

    @Test func aRestoreChangesIt() async throws {
        let before = try bench.store.mark(of: .accounts)
        _ = try await bench.store.jump()
        #expect(try bench.store.mark(of: .accounts) != before)
    }
}
