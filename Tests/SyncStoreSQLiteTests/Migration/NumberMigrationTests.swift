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

/// A database from before commit numbers. In `p-1`, alice was a member, left and came back as a VIEWER; bob has left
/// `p-2`; `p-3` was deleted.
@Suite struct NumberMigrationTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private let facts: JSON
    private var path: String { folder.path("t.db") }

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        facts = try ReleasedDatabase("layout-6", to: folder.path("t.db")).facts
    }

    private func open() throws -> SQLiteStore {
        try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
    }

    private func caller(_ name: String, _ store: SQLiteStore) async throws -> Caller {
        let made = Instant(facts["made"]?.string ?? "")!
        let accounts = AccountService(store: store, clock: WallClock { made })
        return try #require(try await accounts.authenticate(token: facts["tokens"]?[name]?.string ?? ""))
    }

    /// A watermark of the version before gives the same delta and the same digest.
    @Test(arguments: ["demo", "alice"]) func watermarksStayGood(name: String) async throws {
        let store = try open()
        let told = try #require(name == "demo" ? facts : facts["alice"])
        let since = SyncSeq(told["watermark"]?.int ?? 0)
        let drained = try await Drained(
            store, registry, project: "p-1", since: since, by: caller(name, store))
        #expect(drained.timestamp == told["since"]?["timestamp"]?.int)
        let rows = (told["since"]?["rows"]?.object ?? [:]).flatMap { name, rows in
            (rows.array ?? []).map { RowKey(name, $0["id"]?.string ?? "") }
        }
        let deleted = (told["since"]?["deleted"]?.object ?? [:]).flatMap { name, ids in
            (ids.array ?? []).map { RowKey(name, $0.string ?? "") }
        }
        #expect(since > .zero && !rows.isEmpty && !deleted.isEmpty)
        #expect(Set(rows) == Set(drained.rows.keys) && Set(deleted) == drained.deleted)
    }

    @Test func numbersBegin() async throws {
        for _ in 0..<2 {
            let store = try open()
            try await store.read { transaction throws -> Void in
                let newest = try transaction.newestNumber()
                #expect(newest > .first)
                for project in ["p-1", "p-2", "p-3"] {
                    #expect(try transaction.newestNumber(of: project) == newest)
                    #expect(try transaction.head(of: project, at: newest) == transaction.project(project)?.head)
                }
            }
            try store.close()
        }
        #expect(try DatabaseCheck(path: path).run().isSound)
    }

    @Test func stintsAreRecalledFromRoles() async throws {
        let store = try open()
        func stints(_ name: String) async throws -> [Stint] {
            let user = try await caller(name, store).userID
            return try await store.read { try $0.stints(of: user) }
        }
        #expect(
            try await stints("alice") == [
                Stint(project: "p-1", from: SyncSeq(2), until: SyncSeq(6)),
                Stint(project: "p-1", from: SyncSeq(9)),
                Stint(project: "p-3", from: SyncSeq(6), until: SyncSeq(7)),
            ])
        #expect(
            try await stints("bob") == [
                Stint(project: "p-2", from: SyncSeq(5), until: SyncSeq(6)),
                Stint(project: "p-3", from: SyncSeq(5), until: SyncSeq(7)),
            ])
    }

    /// A restore raises the installation's number as far as the projects' heads, and records every head under it.
    @Test func aRestoreRaisesTheNumber() async throws {
        let store = try open()
        let before = try await store.read { try $0.newestNumber() }
        _ = try Backup(of: path, to: folder.path("b.db")).run()
        try store.close()
        let restored = try SQLiteStore(
            path: folder.path("b.db"), registry: registry, opener: .server, mender: DraftMender())
        try await restored.read { transaction throws -> Void in
            let newest = try transaction.newestNumber()
            #expect(newest.rawValue >= before.rawValue + 1 << 32)
            for project in ["p-1", "p-2", "p-3"] {
                #expect(try transaction.newestNumber(of: project) == newest)
                #expect(try transaction.head(of: project, at: newest) == transaction.project(project)?.head)
            }
        }
        try restored.close()
        #expect(try DatabaseCheck(path: folder.path("b.db")).run().isSound)
    }

    /// The check finds a membership without a stint.
    @Test func aMissingStintIsFound() throws {
        try open().close()
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "DELETE FROM tidemark_stints WHERE project_id = 'p-1' AND user_id = 1") }
        try queue.close()
        let report = try DatabaseCheck(path: path).run()
        #expect(!report.isSound && report.text.contains("tidemark_stints"), "\(report.text)")
    }
}
