import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

@testable import SyncStoreSQLite

/// Databases from versions that kept no digests, or that wrote to a file without updating them.
@Suite struct DigestMigrationTests {
    private func make(_ path: String) async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(
            SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()), registry)
        try await bench.edit(as: .member) { editor in
            for id in ["t1", "t2", "t3"] { try editor.insert("tasks", id, ["name": "T"]) }
            try editor.insert(
                "sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("sprint_retros", "re", ["sprint": "s"])
            try editor.insert("time_entries", "e1", ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"])
        }
        try await bench.edit { try $0.delete("tasks", "t2") }
        _ = try await Workbench(bench.store, registry, project: "p2")
    }

    private func stored(_ path: String) throws -> [Row] {
        try DatabaseQueue(path: path).read { try Row.fetchAll($0, sql: "SELECT * FROM tidemark_digests") }
            .filter { $0["live"] as Int > 0 }
    }

    private func change(_ path: String, _ sql: String) throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    }

    private static let old = "UPDATE tidemark_settings SET value = '2' WHERE name = 'layout'; "

    @Test(arguments: ["DROP TABLE tidemark_digests", "UPDATE tidemark_digests SET live = 99, bits = 7"])
    func digestsAreMadeFromTheRowsOnce(sql: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("t.db")
        try await make(path)
        let before = try stored(path)
        #expect(before.count == 10)
        try change(path, Self.old + sql)
        for _ in 0..<2 {
            _ = try SQLiteStore(path: path, registry: .builtIn(), opener: .server, mender: DraftMender())
            #expect(try stored(path) == before)
        }
    }

    @Test func aGuestLeavesThatToTheServer() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("t.db")
        try await make(path)
        try change(path, Self.old)
        #expect(throws: StoreError.self) {
            try SQLiteStore(path: path, registry: .builtIn(), opener: .guest, mender: DraftMender())
        }
    }

    @Test func aStartWithoutAMigrationDoesNotReadTheRows() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("t.db")
        try await make(path)
        try change(path, "UPDATE tidemark_digests SET bits = 7")
        _ = try SQLiteStore(path: path, registry: .builtIn(), opener: .server, mender: DraftMender())
        #expect(try stored(path).allSatisfy { $0["bits"] == 7 })
    }
}
