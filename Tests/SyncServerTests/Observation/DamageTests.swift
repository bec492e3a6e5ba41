import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// A database file that the disk has damaged.
@Suite struct DamageTests {
    private let folder: TemporaryFolder
    private let token: String?
    private let registry: Registry
    private var path: String { folder.path("t.db") }

    /// A file with tasks that nobody has open.
    init() async throws {
        let scene = try await Scene()
        (folder, registry, token) = (scene.folder, scene.registry, try await scene.client(.member).token)
        try await scene.insertTasks((0..<200).map { "t\($0)" })
        try await scene.client(.member).upload(updated: [["id": "t0", "name": "B"]])
        await scene.server.stop()
        try scene.bench.store.close()
    }

    /// Overwrites pages, numbered from 1.
    private func overwrite(_ pages: [Int], size: Int) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        for page in pages {
            try file.seek(toOffset: UInt64((page - 1) * size))
            try file.write(contentsOf: Data(repeating: 0xA5, count: size))
        }
        try file.close()
    }

    /// The root pages of a table and of its indexes.
    private func pages(of table: String) throws -> (roots: [Int], size: Int) {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            let sql = "SELECT rootpage FROM sqlite_master WHERE tbl_name = ?1 AND rootpage > 0"
            return (try Int.fetchAll(db, sql: sql, arguments: [table]), try Int.fetchOne(db, sql: "PRAGMA page_size")!)
        }
    }

    /// Puts a text where the table has numbers, as a flipped bit could: SQLite checks types only when it writes.
    private func setText(_ column: String, of table: String) throws {
        let schema =
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, %) WHERE name = '\(table)'"
        for sql in [
            schema.replacing("%", with: "'STRICT, ', ''"), "UPDATE \(table) SET \(column) = 'damaged'",
            schema.replacing("%", with: "'WITHOUT', 'STRICT, WITHOUT'"),
        ] {
            let queue = try DatabaseQueue(path: path)
            try queue.inDatabase { try $0.execute(sql: sql) }
            try queue.close()
        }
    }

    /// A server on the file, and a member who sends it a request.
    private func serve(
        _ log: CapturedLog = CapturedLog()
    ) async throws -> (store: SQLiteStore, server: TestServer, member: Client) {
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let server = try await TestServer(
            store, registry, in: folder, clock: WallClock { Workbench<EngineStore>.noon },
            logger: log.logger(LogSettings()))
        return (store, server, Client(server: server, project: "p1", token: token))
    }

    @Test(arguments: [("tidemark_digests", "bits"), ("tidemark_changes", "edited_at")])
    func aValueOfAnotherTypeEndsNoServer(table: String, column: String) async throws {
        try setText(column, of: table)
        let (store, server, member) = try await serve()
        let digest = try await member.send("GET", "/projects/p1/sync/digest/")
        #expect(digest.at("/digest/tasks/count") == 200)
        let edit: JSON = ["id": "t0", "name": "C"]
        let merged = try await member.upload(
            updated: [edit], members: ["on_conflict": "merge", "last_pulled_at": 1])
        #expect(merged.status == 200)
        await server.stop()
        try store.close()
        #expect(try !DatabaseCheck(path: path).run().isSound)
    }

    @Test func theOperatorIsToldAndTheRestIsServedOn() async throws {
        let (roots, size) = try pages(of: "tasks")
        try overwrite(roots, size: size)
        let log = CapturedLog()
        let (store, _, member) = try await serve(log)
        #expect(try await member.page(["collections": "tasks"]).code == "internal_error")
        #expect(log.lines.contains { $0.contains("file is damaged") && $0.contains("tidemark check") })
        #expect(try await member.page(["collections": "sprints"]).status == 200)
        #expect(try await member.send("GET", "/ready").at("/causes/0/cause") == "damaged")
        await #expect(throws: StoreError.self) { try await store.read { _ = try $0.record(RowKey("tasks", "t1")) } }
    }

    @Test func aFileThatIsNoDatabaseAnyMoreEndsTheStartWithWhatToDo() throws {
        try overwrite([1], size: 4096)
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        }
        #expect(error?.description.contains("restore a backup") == true)
    }
}
