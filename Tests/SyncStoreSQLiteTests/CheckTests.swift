import Foundation
import GRDB
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Synchronization

import Testing

/// What `tidemark check` finds.
@Suite struct CheckTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private let bench: Workbench<SQLiteStore>
    private var path: String { folder.path("t.db") }

    init() async throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
    }

    private func check() throws -> CheckReport { try DatabaseCheck(path: path).run() }

    /// The check that a server makes of its own file.
    private func checkOpen(_ watch: CheckWatch) throws -> CheckReport {
        try DatabaseCheck(path: path, open: bench.store, watch: watch, readers: 1).run()
    }

    private static let digest = String(repeating: "ab", count: 32)

    private func fill() async throws {
        let owner = bench.caller(.owner).userID
        try await bench.store.write(.project("p1")) { transaction in
            try transaction.add(
                StoredFile(project: "p1", digest: Self.digest, size: 3, place: "ab/c", unnamedSince: nil))
            try transaction.noteSender(of: Self.digest, to: "p1", owner)
        }
        try await bench.edit { editor in
            try editor.insert("attachments", "at", ["name": "A", "file": .string(Self.digest)])
            try editor.insert("tasks", "t1", ["name": "T", "duration": 3])
            try editor.insert("tasks", "t2", ["name": "T", "parent": "t1"])
            try editor.insert("sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("sprint_retros", "re", ["sprint": "s"])
            try editor.insert("retro_action_items", "ai", ["retro": "re", "text": "Do"])
            try editor.insert("risks", "k", ["title": "R", "probability": 1, "impact": 1, "task_ids": ["t1", "t2"]])
            try editor.insert("tasks", "gone", ["name": "G"])
        }
        try await bench.edit { try $0.delete("tasks", "gone") }
        try await bench.edit { try $0.update("tasks", "t1", ["name": "New"]) }
    }

    /// A backup of a version without files, or with fewer of their tables.
    @Test func aDatabaseFromBeforeFilesIsChecked() async throws {
        try await bench.edit { try $0.insert("tasks", "t", ["name": "T"]) }
        try bench.store.close()
        let queue = try DatabaseQueue(path: path)
        let tables = [
            "tidemark_upload_parts", "tidemark_uploads", "tidemark_missing_files", "tidemark_file_senders",
            "tidemark_file_names", "tidemark_file_use", "tidemark_files",
        ]
        for table in tables {
            try await queue.write { try $0.execute(sql: "DROP TABLE \(table)") }
            #expect(try check().isSound, "without \(table)")
            _ = try Backup(of: path, to: folder.path("\(table).db")).run()
        }
        try queue.close()
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        try store.close()
        #expect(try check().isSound)
        #expect(try NamedFiles(of: path).isEmpty())
    }

    @Test func aCheckTellsItsProgressAndCanBeEnded() async throws {
        try await fill()
        let listener = CheckListener()
        #expect(try checkOpen(listener.watch()).isSound)
        let last = try #require(listener.heard.withLock { $0.last })
        #expect(last.done == last.total && last.total > 30)
        #expect(throws: CancellationError.self) { try checkOpen(CheckListener().watch(endingAfter: 3)) }
        let ended = CheckWatch()
        ended.end()
        #expect(throws: CancellationError.self) { try checkOpen(ended) }
        // The store goes on.
        try await bench.edit { try $0.insert("tasks", "later", ["name": "T"]) }
        #expect(try check().isSound)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func whateverIsWrittenIsSound(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        for _ in 0..<60 { try await bench.perform(writes.next(&random)) }
        let other = try await Workbench(bench.store, registry, project: "p2")
        try await other.edit { try $0.insert("tasks", "p2-t", ["name": "T"]) }
        try await other.items.delete("p2", in: registry.projects, if: .none, by: other.callers[.owner]!)
        let report = try check()
        #expect(report.isSound && report.rows > 20, "seed \(seed): \(report.text)")
    }

    /// Each fault is made in the file without the server. Rows that are changed on purpose get a new checksum.
    static let faults: [(sql: String, code: CheckCode, subject: String)] = [
        ("UPDATE tasks SET name = 'X' WHERE id = 't1'", .damagedRow, "t1"),
        ("UPDATE tasks SET row_checksum = NULL WHERE id = 't1'", .damagedRow, "t1"),
        ("UPDATE tasks SET server_version = 9 WHERE id = 'gone'", .damagedRow, "gone"),
        ("UPDATE tasks SET sync_seq = 99 WHERE id = 't2'", .wrongStamps, "t2"),
        ("UPDATE tasks SET created_seq = 9 WHERE id = 't2'", .wrongStamps, "t2"),
        ("UPDATE tidemark_projects SET head = 2", .wrongStamps, "t1"),
        ("UPDATE tidemark_projects SET horizon = 99", .wrongStamps, "horizon or floor"),
        ("UPDATE tasks SET parent = 'gone' WHERE id = 't1'", .danglingReference, "t1.parent"),
        ("UPDATE tasks SET parent = 'never' WHERE id = 't1'", .danglingReference, "t1.parent"),
        ("UPDATE tasks SET assignee = 99 WHERE id = 't1'", .danglingReference, "t1.assignee"),
        ("UPDATE risks SET task_ids = '[\"t1\",\"gone\"]'", .danglingReference, "k.task_ids"),
        ("DELETE FROM tidemark_list_references WHERE target = 't2'", .wrongDerivation, "k.task_ids"),
        ("UPDATE sprint_retros SET is_gated = 1 - is_gated", .wrongGate, "re"),
        ("UPDATE retro_action_items SET is_gated = 1 - is_gated", .wrongGate, "ai"),
        ("UPDATE tidemark_row_counts SET live = live + 1 WHERE collection = 'tasks'", .wrongDerivation, "tasks"),
        ("DELETE FROM tidemark_row_counts WHERE collection = 'tasks'", .wrongDerivation, "tasks"),
        ("UPDATE tidemark_digests SET bits = bits + 1 WHERE collection = 'tasks'", .wrongDerivation, "tasks, everyone"),
        ("DELETE FROM tidemark_digests WHERE collection = 'tasks'", .wrongDerivation, "tasks, everyone"),
        ("UPDATE tidemark_access SET role = 1 WHERE role = 400", .wrongDerivation, "user 1"),
        ("UPDATE tidemark_projects SET is_archived = 1", .wrongDerivation, "p1"),
        ("UPDATE tidemark_changes SET sync_seq = 99", .wrongRecord, "tasks t1"),
        ("UPDATE tidemark_file_use SET bytes = bytes + 1", .wrongDerivation, "files"),
        ("DELETE FROM tidemark_file_use", .wrongDerivation, "files"),
        ("UPDATE tidemark_files SET unnamed_at = 5", .wrongDerivation, digest),
        ("DELETE FROM tidemark_files", .wrongDerivation, "at.file"),
        ("DELETE FROM tidemark_file_names", .wrongDerivation, "at.file"),
        ("UPDATE tidemark_file_names SET row_id = 'other'", .wrongDerivation, "other.file"),
        ("UPDATE attachments SET state = 'pending'", .wrongDerivation, "at.state"),
        ("INSERT INTO tidemark_uploads VALUES ('u', 'p1', 1, 'd', NULL, 9, 3, 1, 0, NULL)", .wrongDerivation, "u"),
        (
            """
            INSERT INTO tidemark_idempotency VALUES ('p1', 1, 'batch:x', '\(String(repeating: "a", count: 64))',
              '{"timestamp":99}', 0)
            """, .wrongRecord, "batch:x"
        ),
        ("INSERT INTO tidemark_idempotency VALUES ('p1', 1, 'create:x', 'a', '{}', 0)", .wrongRecord, "create:x"),
        (
            "INSERT INTO tidemark_inbox VALUES (1, 'p1', 999, 'tasks', 't1', NULL, 'conflict', '{}', '{}', NULL, 0)",
            .wrongRecord, "entry 1"
        ),
    ]

    @Test(arguments: faults) func aFaultIsNamed(sql: String, code: CheckCode, subject: String) async throws {
        try await fill()
        #expect(try check().isSound)
        try await bench.store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            try db.execute(sql: sql)
            guard code != .damagedRow else { return }
            for collection in registry.collections {
                let checksum = TableLayout(collection, registry).rowChecksum
                try db.execute(sql: "UPDATE \"\(collection.name)\" SET row_checksum = \(checksum)")
            }
        }
        let report = try check()
        #expect(report.findings.contains { $0.code == code && $0.subject == subject }, "\(report.text)")
        if code == .damagedRow { #expect(report.findings.count == 1, "\(report.text)") }
        #expect(report.text.contains(code.remedy))
    }

    /// Connections that read different commits would find counters and digests that do not match the rows.
    @Test(arguments: [1, 2, 4]) func readersBesideWritesSeeOneState(readers: Int) async throws {
        try await fill()
        let isOver = Flag()
        async let written: Int = {
            var count = 0
            while !isOver.isSet {
                count += 1
                try await bench.edit { [count] in try $0.insert("tasks", "w\(count)", ["name": "T", "parent": "t1"]) }
            }
            return count
        }()
        for _ in 0..<20 {
            let report = try await offThePool { [path] in try DatabaseCheck(path: path, readers: readers).run() }
            #expect(report.isSound, "\(report.text)")
        }
        isOver.set()
        #expect(try await written > 0)
    }

    /// Somebody commits after the first reader has begun and before the second one does.
    @Test func readersThatACommitCameBetweenBeginAgain() throws {
        let pool = try DatabasePool(path: folder.path("between.db"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER)") }
        let begins = Mutex(0)
        let counts = try SameState(path: folder.path("between.db"), interruption: Interruption()).read(
            by: 2,
            preparing: { db in
                db.trace { event in
                    guard event.description == "BEGIN" else { return }
                    let number = begins.withLock { begins in
                        begins += 1
                        return begins
                    }
                    if number == 2 { try? pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
                }
            }
        ) { readers in
            try readers.map { reader in
                try reader.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
            }
        }
        #expect(counts == [1, 1])
        #expect(begins.withLock { $0 } == 4)
    }

    /// Whatever the number of connections.
    @Test func faultsAreNamedInOneOrder() async throws {
        try await fill()
        try await bench.store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            for fault in CheckTests.faults { try? db.execute(sql: fault.sql) }
        }
        let alone = try DatabaseCheck(path: path, readers: 1).run()
        #expect(alone.findings.count > 10)
        for readers in 2...4 { #expect(try DatabaseCheck(path: path, readers: readers).run() == alone) }
    }

    @Test func manyFaultsOfAKindAreCounted() async throws {
        try await bench.edit { editor in
            for index in 0..<50 { try editor.insert("tasks", "t\(index)", ["name": "T"]) }
        }
        try await bench.store.pool.write { try $0.execute(sql: "UPDATE tasks SET notes = 'X'") }
        let report = try check()
        #expect(report.findings.count == CheckReport.mostFindings && report.more == 50 - report.findings.count)
    }

    /// Bits flipped anywhere in the file. A changed row is found by
    /// its checksum, whether SQLite can still read the file or not.
    @Test(arguments: [UInt64(11), 12]) func everyFlippedBitThatChangesARowIsSeen(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await fill()
        try await bench.edit { editor in
            let notes = JSON.string(String(repeating: "Words of a note. ", count: 40))
            for index in 0..<800 { try editor.insert("tasks", "n\(index)", ["name": "T", "notes": notes]) }
        }
        _ = try await bench.store.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        let sound = try Data(contentsOf: URL(filePath: path))
        let rows = try content(of: path)
        var changed = 0
        for _ in 0..<150 {
            var bytes = sound
            let place = random.below(bytes.count)
            bytes[place] ^= 1 << UInt8(random.below(8))
            let copy = folder.path("flipped.db")
            try bytes.write(to: URL(filePath: copy))
            defer { for name in ["flipped.db", "flipped.db-wal", "flipped.db-shm"] { unlink(folder.path(name)) } }
            guard (try? content(of: copy)) != rows else { continue }
            changed += 1
            let report = try? DatabaseCheck(path: copy).run()
            #expect(report?.isSound != true, "seed \(seed), byte \(place)")
        }
        #expect(changed > 20, "seed \(seed)")
    }

    /// Every synced row as it is in the file.
    private func content(of path: String) throws -> [[DatabaseValue]] {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            try registry.collections.flatMap { collection in
                let columns = SystemColumn.allCases.map(\.name) + collection.fields.map { "\"\($0.name)\"" }
                let sql =
                    "SELECT \(columns.joined(separator: ", ")) FROM \"\(collection.name)\" NOT INDEXED ORDER BY rowid"
                return try Row.fetchAll(db, sql: sql).map { Array($0.databaseValues) }
            }
        }
    }

    @Test func whatIsNoDatabaseOfOursIsRefused() throws {
        #expect(throws: StoreError.self) { try DatabaseCheck(path: folder.path("none.db")).run() }
        let other = folder.path("other.db")
        try DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(throws: StoreError.self) { try DatabaseCheck(path: other).run() }
        try Data(repeating: 7, count: 9000).write(to: URL(filePath: folder.path("junk.db")))
        #expect(try DatabaseCheck(path: folder.path("junk.db")).run().findings.map(\.code) == [.damagedFile])
    }
}
