import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

@Suite struct BackupTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private let bench: Workbench<SQLiteStore>

    init() async throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        try await bench.edit { try $0.insert("tasks", "t", ["name": "T"]) }
    }

    private func back(up name: String = "b.db") throws -> Int {
        try Backup(of: folder.path("t.db"), to: folder.path(name)).run().bytes
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) }

    @Test func aBackupBesideAServerIsOneFileOfItsCommits() async throws {
        let bytes = try back()
        #expect(bytes > 0)
        #expect(try files().filter { !$0.hasPrefix("t.db") } == ["b.db"])
        let rights = try FileManager.default.attributesOfItem(atPath: folder.path("b.db"))[.posixPermissions] as? Int
        #expect(rights == 0o600)
        try await bench.edit { try $0.insert("tasks", "later", ["name": "T"]) }
        let copy = try SQLiteStore(
            path: folder.path("b.db"), registry: registry, opener: .server, mender: DraftMender())
        let (first, later) = try await copy.read {
            (try $0.record(RowKey("tasks", "t")), try $0.record(RowKey("tasks", "later")))
        }
        #expect(first != nil && later == nil)
    }

    /// Each backup is one committed state, whatever is written meanwhile.
    /// Rows, counters and digests of two states would not match.
    @Test func backupsBesideWritesAreSound() async throws {
        let isOver = Flag()
        async let written: Int = {
            var count = 0
            while !isOver.isSet {
                count += 1
                try await bench.edit { [count] editor in
                    for index in 0..<5 { try editor.insert("tasks", "t\(count)-\(index)", ["name": "T"]) }
                }
            }
            return count
        }()
        for number in 0..<8 {
            await #expect(throws: Never.self) { try await offThePool { try back(up: "b\(number).db") } }
        }
        isOver.set()
        #expect(try await written > 0)
        #expect(try DatabaseCheck(path: folder.path("t.db")).run().isSound)
    }

    @Test func aCompactBackupLeavesUnusedSpaceOut() async throws {
        let notes = JSON.string(String(repeating: "Words of a note. ", count: 100))
        try await bench.edit { editor in
            for index in 0..<300 { try editor.insert("tasks", "n\(index)", ["name": "T", "notes": notes]) }
        }
        try await bench.store.pool.write { try $0.execute(sql: "UPDATE tasks SET notes = ''") }
        try await bench.store.pool.write { db in
            for collection in registry.collections {
                let checksum = TableLayout(collection, registry).rowChecksum
                try db.execute(sql: "UPDATE \"\(collection.name)\" SET row_checksum = \(checksum)")
            }
        }
        let whole = try back()
        let compact = try Backup(of: folder.path("t.db"), to: folder.path("c.db"), as: .compact).run().bytes
        #expect(compact < whole - 400_000)
        #expect(try files().allSatisfy { !$0.contains("unfinished") && !$0.hasPrefix("b.db-") })
        let rows = try await bench.store.read { try $0.record(RowKey("tasks", "n7")) }
        for name in ["b.db", "c.db"] {
            let copy = try SQLiteStore(
                path: folder.path(name), registry: registry, opener: .restorer, mender: DraftMender())
            #expect(copy.jumpAtOpening != nil)
            #expect(try await copy.read { try $0.record(RowKey("tasks", "n7")) }?.values == rows?.values)
        }
    }

    /// A damaged source is copied as it is, and the check of the copy finds the damage.
    @Test func aDamagedDatabaseIsNotBackedUp() async throws {
        try await bench.store.pool.write { try $0.execute(sql: "UPDATE tasks SET name = 'other'") }
        #expect(throws: StoreError.self) { try back() }
        #expect(try files().allSatisfy { !$0.hasPrefix("b.db") })
    }

    @Test func anInterruptedBackupLeavesNothing() throws {
        let interruption = Interruption()
        interruption.call()
        #expect(throws: CancellationError.self) {
            try Backup(of: folder.path("t.db"), to: folder.path("b.db"), until: interruption).run()
        }
        #expect(try files().allSatisfy { !$0.hasPrefix("b.db") })
    }

    @Test func theDatabaseItselfIsNotMarked() throws {
        _ = try back()
        let guest = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .guest, mender: DraftMender())
        #expect(guest.jumpAtOpening == nil)
    }

    @Test func aTargetThatExistsIsLeftAlone() throws {
        try Data("mine".utf8).write(to: URL(filePath: folder.path("b.db")))
        #expect(throws: StoreError.self) { try back() }
        #expect(try String(contentsOfFile: folder.path("b.db"), encoding: .utf8) == "mine")
        #expect(try files().allSatisfy { !$0.contains("unfinished") })
    }

    @Test func whatIsNoDatabaseIsRefusedAndLeavesNothing() throws {
        try Data(repeating: 7, count: 5000).write(to: URL(filePath: folder.path("junk")))
        for source in ["junk", "missing"] {
            #expect(throws: StoreError.self) { try Backup(of: folder.path(source), to: folder.path("b.db")).run() }
        }
        #expect(try files().allSatisfy { !$0.hasPrefix("b.db") })
    }

    /// `cp b.db plans.db` without moving `plans.db-wal` away.
    @Test(arguments: [SQLiteStore.Opener.server, .restorer]) func aBackupBesideTheLogOfAnotherFileIsRefused(
        opener: SQLiteStore.Opener
    ) async throws {
        _ = try back()
        try FileManager.default.copyItem(atPath: folder.path("t.db-wal"), toPath: folder.path("b.db-wal"))
        let before = try Data(contentsOf: folder.url.appending(path: "b.db"))
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore(path: folder.path("b.db"), registry: registry, opener: opener, mender: DraftMender())
        }
        #expect(error?.hint.contains("b.db-wal") == true)
        #expect(throws: StoreError.self) { try Backup(of: folder.path("b.db"), to: folder.path("c.db")).run() }
        #expect(try Data(contentsOf: folder.url.appending(path: "b.db")) == before)
        try FileManager.default.removeItem(atPath: folder.path("b.db-wal"))
        #expect(
            try SQLiteStore(path: folder.path("b.db"), registry: registry, opener: opener, mender: DraftMender())
                .jumpAtOpening != nil)
    }

    @Test func aBackupThatWasNeverOpenedIsBackedUpWithItsMark() async throws {
        _ = try back()
        _ = try Backup(of: folder.path("b.db"), to: folder.path("c.db")).run()
        for name in ["b.db", "c.db"] {
            #expect(
                try SQLiteStore(path: folder.path(name), registry: registry, opener: .restorer, mender: DraftMender())
                    .jumpAtOpening != nil)
        }
    }

    @Test func numbersThatAreUsedUpAreRefusedAndNothingChanges() async throws {
        let head = SyncSeq.maximum.rawValue - 5
        try await bench.store.pool.write { try $0.execute(sql: "UPDATE tidemark_projects SET head = \(head)") }
        await #expect(throws: StoreError.self) { try await bench.store.jump() }
        let project = try await bench.store.read { try $0.project("p1")! }
        #expect(project.head.rawValue == head && project.floor == .zero)
    }
}
