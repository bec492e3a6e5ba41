import PostgreSQLTestKit
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQL
import SyncTestKit
import Synchronization
import Testing

/// What `tidemark check` finds in a PostgreSQL database.
@Suite(.serialized, .timeLimit(.minutes(30))) struct PostgreSQLCheckTests {
    private let database: TestDatabase
    private let registry: Registry
    private let bench: Workbench<PostgreSQLStore>

    init() async throws {
        (database, registry) = (try TestDatabase(), try Registry.builtIn())
        bench = try await Workbench(database.open(registry), registry)
    }

    private func check(_ watch: CheckWatch = CheckWatch()) throws -> CheckReport {
        try PostgreSQLCheck(database.address, watch: watch).run()
    }

    private func fill() async throws {
        try await bench.edit { editor in
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

    @Test func aCheckTellsItsProgressAndCanBeEnded() async throws {
        try await fill()
        let listener = CheckListener()
        #expect(try check(listener.watch()).isSound)
        let last = try #require(listener.heard.withLock { $0.last })
        #expect(last.done == last.total && last.total > 30)
        #expect(throws: CancellationError.self) { try check(CheckListener().watch(endingAfter: 3)) }
        let ended = CheckWatch()
        ended.end()
        #expect(throws: CancellationError.self) { try check(ended) }
        // The store goes on.
        try await bench.edit { try $0.insert("tasks", "later", ["name": "T"]) }
        #expect(try check().isSound)
        bench.store.close()
    }

    @Test(arguments: [UInt64(1), 2]) func whateverIsWrittenIsSound(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        for _ in 0..<60 { try await bench.perform(writes.next(&random)) }
        let report = try check()
        #expect(report.isSound && report.rows > 10, "seed \(seed): \(report.text)")
        let counted = try registry.collections.reduce(0) {
            $0 + Int(try database.text("SELECT count(*) FROM \"\($1.name)\"")!)!
        }
        #expect(report.rows == counted, "every row was read")
        #expect(report.notes.contains { $0.contains("CREATE EXTENSION amcheck") })
        bench.store.close()
    }

    static let faults: [(sql: String, code: CheckCode, subject: String)] = [
        ("UPDATE tasks SET sync_seq = 99 WHERE id = 't2'", .wrongStamps, "t2"),
        ("UPDATE tasks SET created_seq = 9 WHERE id = 't2'", .wrongStamps, "t2"),
        ("UPDATE tidemark_projects SET head = 2", .wrongStamps, "t1"),
        ("UPDATE tidemark_projects SET head = 50", .wrongStamps, "head 50"),
        ("UPDATE tidemark_projects SET horizon = 99", .wrongStamps, "horizon or floor"),
        ("SELECT setval(pg_get_serial_sequence('tidemark_users', 'id'), 1)", .wrongStamps, "the sequence of keys"),
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
        ("UPDATE tidemark_stints SET until_seq = 5 WHERE user_id = 1", .wrongDerivation, "user 1"),
        ("UPDATE tidemark_projects SET is_archived = 1", .wrongDerivation, "p1"),
        ("UPDATE tidemark_changes SET sync_seq = 99", .wrongRecord, "tasks t1"),
        ("UPDATE tidemark_changes SET replaced = '{'", .wrongRecord, "tasks t1"),
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
        // Without the triggers that check references.
        try database.run("SET session_replication_role = replica; \(sql)")
        let report = try check()
        #expect(report.findings.contains { $0.code == code && $0.subject == subject }, "\(report.text)")
        #expect(report.text.contains(code.remedy))
        bench.store.close()
    }

    /// The heap is changed without its index: what a wrong collation or a damaged page of an index does.
    @Test func anIndexThatLacksARowIsFoundWithAmcheck() async throws {
        try await fill()
        try database.run("CREATE EXTENSION amcheck")
        let sound = try check()
        #expect(sound.isSound && sound.notes.allSatisfy { !$0.contains("amcheck") }, "\(sound.text)")
        // A hidden index is not maintained.
        try database.run("UPDATE pg_index SET indisready = false WHERE indexrelid = 'tasks_sync'::regclass")
        try await bench.edit { try $0.insert("tasks", "t9", ["name": "T"]) }
        try database.run("UPDATE pg_index SET indisready = true WHERE indexrelid = 'tasks_sync'::regclass")
        let report = try check()
        #expect(report.findings.contains { $0.code == .damagedFile && $0.place == "tasks_sync" }, "\(report.text)")
        bench.store.close()
    }

    @Test func aDatabaseOfNobodyIsRefused() throws {
        #expect(throws: StoreError.self) { try PostgreSQLCheck(TestDatabase().address).run() }
    }
}
