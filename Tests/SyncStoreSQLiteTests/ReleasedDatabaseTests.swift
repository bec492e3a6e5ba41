import Foundation
import GRDB
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// Databases of released versions keep working.
@Suite struct ReleasedDatabaseTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private let facts: JSON
    private var path: String { folder.path("t.db") }
    private var clock: WallClock {
        let made = Instant(facts["made"]?.string ?? "")!
        return WallClock { made }
    }

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        facts = try ReleasedDatabase("layout-5", to: folder.path("t.db")).facts
    }

    private func open() throws -> SQLiteStore {
        try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
    }

    private func caller(_ name: String, _ store: SQLiteStore) async throws -> Caller {
        let accounts = AccountService(store: store, clock: clock)
        return try #require(try await accounts.authenticate(token: facts["tokens"]?[name]?.string ?? ""))
    }

    /// Every field that the old server delivered still has its value.
    private func expect(_ drained: Drained, _ told: JSON?) throws {
        let told = try #require(told)
        #expect(drained.timestamp == told["timestamp"]?.int)
        // Collections that came later have no rows.
        let digests = told["digest"]?.object ?? [:]
        #expect(!digests.isEmpty && drained.digest.object?.filter { digests[$0.key] != nil } == digests)
        var rows = 0
        for (name, list) in told["rows"]?.object ?? [:] {
            for row in list.array ?? [] {
                rows += 1
                let now = drained.rows[RowKey(name, row["id"]?.string ?? "")]
                for (field, value) in row.object ?? [:] { #expect(now?[field] == value, "\(name) \(field)") }
            }
        }
        #expect(rows == drained.rows.count)
        let deleted = (told["deleted"]?.object ?? [:]).flatMap { name, ids in
            (ids.array ?? []).map { RowKey(name, $0.string ?? "") }
        }
        #expect(Set(deleted) == drained.deleted)
    }

    @Test(arguments: ["all", "since"]) func aPullAnswersAsBefore(told: String) async throws {
        let watermark = SyncSeq(told == "all" ? 0 : facts["watermark"]?.int ?? 0)
        for _ in 0..<2 {
            let store = try open()
            let caller = try await caller("demo", store)
            let drained = try await Drained(store, registry, project: "demo-project", since: watermark, by: caller)
            try expect(drained, facts[told])
            try store.close()
        }
    }

    /// The column is new. No row is delivered again for it: null is what a row has that nobody has ranked.
    @Test func tasksGainARank() async throws {
        let store = try open()
        let caller = try await caller("demo", store)
        let drained = try await Drained(store, registry, project: "demo-project", since: .zero, by: caller)
        let tasks = drained.rows.filter { $0.key.collection == "tasks" }.compactMap(\.value.object)
        #expect(tasks.count > 5 && tasks.allSatisfy { $0["rank"] == JSON.null })
        #expect(tasks.allSatisfy { "WX".contains(OrderKey($0).text.prefix(1)) })
    }

    @Test func itIsSoundAndBearsOurMark() throws {
        try open().close()
        let report = try DatabaseCheck(path: path).run()
        #expect(report.isSound && report.rows > 60, "\(report.text)")
        let mark = try DatabaseQueue(path: path).read { try Int64.fetchOne($0, sql: "PRAGMA application_id") }
        #expect(mark == DatabaseFile.mark)
    }

    /// Its backups were made before the upgrade.
    @Test func aBackupOfItIsRestored() throws {
        let target = folder.path("restored.db")
        #expect(try !Backup(of: path, to: target, acceptsOlder: true).run().isChecked)
        #expect(throws: StoreError.self) { try Backup(of: path, to: folder.path("b.db")).run() }
        let store = try SQLiteStore(path: target, registry: registry, opener: .server, mender: DraftMender())
        #expect(store.jumpAtOpening != nil)
        try store.close()
        #expect(try DatabaseCheck(path: target).run().isSound)
    }

    /// Checksums are written in parts, by row number. The old layout has no checksums.
    @Test func rowsFarApartGetChecksums() throws {
        let queue = try DatabaseQueue(path: path)
        let moved = try queue.write {
            try $0.execute(sql: "UPDATE tasks SET _rowid_ = _rowid_ * 19999 WHERE _rowid_ > 1")
            return $0.changesCount
        }
        try queue.close()
        #expect(moved > 2)
        try open().close()
        #expect(try DatabaseCheck(path: path).run().isSound)
        let unsealed = try DatabaseQueue(path: path).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM tasks WHERE row_checksum IS NULL")
        }
        #expect(unsealed == 0)
    }

    @Test func usersTokensAndPasswordsAreAsBefore() async throws {
        let store = try open()
        let accounts = AccountService(store: store, clock: clock)
        let users = try await accounts.users()
        #expect(users.map(\.username) == ["alice", "bob", "carol", "demo"])
        #expect(users.map(\.displayName) == ["Alice Ash", "Bob", "carol", "Demo User"])
        #expect(users.map(\.isDisabled) == [false, false, true, false])
        #expect(users.map(\.isSuperuser) == [false, false, true, false])
        #expect(try await caller("alice", store).username == "alice")
        #expect(try await caller("bob", store).isReadOnly)
        let sessions = SessionService(
            store: store, tokens: try await Installation.accessTokens(store), passwords: Passwords(),
            settings: AccountSettings(), clock: clock)
        _ = try await sessions.logIn("alice", password: "alices password 1", from: "::1")
        _ = try await sessions.refresh(facts["refresh_token"]?.string ?? "", from: "::1")
    }

    @Test func itIsWrittenToAsBefore() async throws {
        let store = try open()
        let caller = try await caller("demo", store)
        let items = ItemService(store: store, registry: registry, clock: clock, retention: .seconds(3600))
        let tasks = registry["tasks"]!
        let edited = try await items.update("uploaded-1", in: tasks, ["name": "Edited"], if: .none, by: caller)
        #expect(edited.version == ServerVersion(2))
        try await items.delete("uploaded-1", in: tasks, if: .none, by: caller)
        let watermark = SyncSeq(facts["since"]?["timestamp"]?.int ?? 0)
        let drained = try await Drained(store, registry, project: "demo-project", since: watermark, by: caller)
        #expect(drained.deleted == [RowKey("tasks", "uploaded-1")] && drained.rows.isEmpty)
        try store.close()
        #expect(try DatabaseCheck(path: path).run().isSound)
    }

    @Test func aVersionBeforeALaterOneLeavesItAlone() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write {
            try $0.execute(
                sql: "UPDATE tidemark_settings SET value = CAST(?1 AS TEXT) WHERE name = 'layout'",
                arguments: [LayoutVersion.current + 1])
        }
        try queue.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.description.contains("made by a newer version of Tidemark") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
}
