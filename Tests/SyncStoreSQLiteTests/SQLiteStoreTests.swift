import Foundation
import GRDB
import Schemas
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import SyncValues
import Testing

@Suite struct SQLiteStoreTests {
    private let folder: TemporaryFolder
    private let registry: Registry

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
    }

    @Test(arguments: [SQLiteStore.Opener.server, .guest]) func theWriterRunsAtSynchronousFull(
        opener: SQLiteStore.Opener
    ) async throws {
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: opener, mender: DraftMender())
        let (synchronous, mode, checkpoint) = try await store.pool.writeWithoutTransaction { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA synchronous"), try String.fetchOne(db, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint")
            )
        }
        #expect(synchronous == 2)
        #expect(mode == "wal")
        #expect(checkpoint == 0)
    }

    @Test func aSecondServerIsKeptOutAndAGuestIsNot() async throws {
        let path = folder.path("t.db")
        let server = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        }
        #expect(error?.hint.isEmpty == false)
        let guest = try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender())
        try await guest.write { try $0.setSecret("a", "by the guest") }
        #expect(try await server.read { try $0.secret("a") } == "by the guest")
    }

    @Test func aGuestLeavesCheckpointsToTheServer() async throws {
        let path = folder.path("t.db")
        let server = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let guest = try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender())
        let large = String(repeating: "x", count: 4 << 20)
        for number in 0..<5 { try await guest.write { try $0.setSecret("g\(number)", large) } }
        #expect(try size(path + "-wal") > 16 << 20)
        try await server.write { try $0.setSecret("s", "x") }
        // The writer answers first and checkpoints afterwards.
        try await server.pool.writeWithoutTransaction { _ in }
        #expect(try size(path + "-wal") == 0)
    }

    @Test func aLogThatIsFullIsWrittenOverFromItsStart() async throws {
        let path = folder.path("t.db")
        let server = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let text = String(repeating: "x", count: 1 << 20)
        for number in 0..<40 {
            try await server.write { try $0.setSecret("s\(number)", text) }
            try await server.pool.writeWithoutTransaction { _ in }
        }
        #expect(try (16 << 20...18 << 20).contains(size(path + "-wal")))
        for number in 0..<40 { #expect(try await server.read { try $0.secret("s\(number)")?.utf8.count } == 1 << 20) }
    }

    /// Each attempt holds up the writer for as long as it waits for the reader.
    @Test func aReaderInTheWayPutsTheNextCheckpointOff() async throws {
        let path = folder.path("t.db")
        let server = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let text = String(repeating: "x", count: 1 << 20)
        func write(megabytes: Int) async throws {
            for _ in 0..<megabytes {
                try await server.write { try $0.setSecret(UUID().uuidString, text) }
                try await server.pool.writeWithoutTransaction { _ in }
            }
        }
        try await write(megabytes: 1)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT * FROM tidemark_settings") }
        try await write(megabytes: 17)
        try reader.close()
        try await write(megabytes: 12)
        #expect(try size(path + "-wal") > 28 << 20)
        try await write(megabytes: 8)
        #expect(try size(path + "-wal") < 16 << 20)
    }

    /// The disk may be full: there may be room at the next commit, and no reader has to end first.
    @Test func aCheckpointThatFailsIsTriedAgainAtTheNextCommit() async throws {
        let path = folder.path("t.db")
        let server = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let checkpoints = server.checkpoints
        try await server.pool.writeWithoutTransaction { db in
            try db.inTransaction {
                for name in 0..<17 {
                    let text = String(repeating: "x", count: 1 << 20)
                    try db.execute(sql: "INSERT INTO tidemark_settings VALUES (?, ?)", arguments: ["\(name)", text])
                }
                return .commit
            }
            // SQLite makes no checkpoint within a transaction: SQLITE_LOCKED.
            try db.inTransaction {
                _ = try Row.fetchAll(db, sql: "SELECT 1 FROM tidemark_settings")
                checkpoints.runIfDue(db)
                return .commit
            }
        }
        #expect(try size(path) < 1 << 20)
        try await server.write { try $0.setSecret("a", "x") }
        try await server.pool.writeWithoutTransaction { _ in }
        #expect(try size(path) > 16 << 20)
    }

    /// The next commits can then overwrite the log, and need no new disk space.
    @Test func aFullDiskHasTheLogMovedHoweverShortItIs() async throws {
        let path = folder.path("t.db")
        let server = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        try await server.write { try $0.setSecret("a", String(repeating: "x", count: 1 << 20)) }
        #expect(try size(path) < 1 << 20)
        try await server.pool.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count")!
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        await #expect(throws: Problem.self) {
            try await server.write { try $0.setSecret("b", String(repeating: "x", count: 1 << 20)) }
        }
        try await server.pool.writeWithoutTransaction { _ in }
        #expect(try size(path) > 1 << 20)
    }

    @Test func aServerTakesInWhatGuestsLeftWhenItStarts() async throws {
        let path = folder.path("t.db")
        let guest = try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender())
        for number in 0..<5 {
            try await guest.write { try $0.setSecret("g\(number)", String(repeating: "x", count: 4 << 20)) }
        }
        _ = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        #expect(try size(path + "-wal") == 0)
        #expect(try await guest.read { try $0.secret("g4") }?.count == 4 << 20)
    }

    @Test func aPathThatCannotBeOpenedIsSaid() throws {
        #expect(throws: StoreError.self) {
            try SQLiteStore(path: "/nonexistent/t.db", registry: registry, opener: .server, mender: DraftMender())
        }
    }

    @Test func aFieldWithADefaultIsAddedToRowsThatAreThere() async throws {
        let path = folder.path("t.db")
        do {
            let bench = try await Workbench(
                SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()), registry)
            try await bench.edit { try $0.insert("tasks", "t", ["name": "T"]) }
        }
        let grown = try changed("tasks") { $0["colour"] = ["type": "string", "default": "red"] }
        let store = try SQLiteStore(path: path, registry: grown, opener: .server, mender: DraftMender())
        let row = try await store.read { try $0.record(RowKey("tasks", "t"))?.json(in: grown["tasks"]!) }
        #expect(row?["colour"] == "red")
    }

    @Test func aLostFieldIsRefusedAndNothingChanges() async throws {
        let path = folder.path("t.db")
        do { _ = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()) }
        let shrunk = try changed("tasks") { $0["notes"] = nil }
        let error = #expect(throws: SchemaError.self) {
            try SQLiteStore(path: path, registry: shrunk, opener: .server, mender: DraftMender())
        }
        #expect(error?.pointer == "/properties/notes")
        _ = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
    }

    /// The file as the first version made it: no column for who inserted
    /// a row, no indexes of live rows or tombstones, lists ordered by id.
    private func makeOlder(_ path: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { db in
            for collection in registry.collections {
                for index in try db.indexes(on: collection.name)
                where ["_live", "_dead", "_created"].contains(where: index.name.hasSuffix) {
                    try db.execute(sql: "DROP INDEX \"\(index.name)\"")
                }
                try db.execute(sql: "ALTER TABLE \"\(collection.name)\" DROP COLUMN inserted_by")
                try db.execute(
                    sql: "CREATE INDEX \"\(collection.name)_list\" ON \"\(collection.name)\" (project_id, id)")
            }
            try db.execute(sql: "DELETE FROM tidemark_settings WHERE name = 'layout'")
        }
        try database.close()
    }

    @Test func aFileOfTheFirstVersionGetsTheNewColumnAndItsIndexes() async throws {
        let path = folder.path("t.db")
        do {
            let bench = try await Workbench(
                SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()), registry)
            try await bench.edit { try $0.insert("tasks", "t", ["name": "T"]) }
        }
        try makeOlder(path)
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender())
        }
        #expect(error?.hint.isEmpty == false)
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let row = try #require(try await store.read { try $0.record(RowKey("tasks", "t")) })
        #expect(row.insertedBy == nil)
        try await store.write { try $0.update([row], in: registry["tasks"]!) }
        #expect(try await store.read { try $0.record(RowKey("tasks", "t")) } == row)
        let indexes = try await store.pool.read { try $0.indexes(on: "tasks") }.filter { $0.origin == .createIndex }
        #expect(Set(indexes.map(\.name)) == Set(TableLayout(registry["tasks"]!, registry).indexes.keys))
    }

    private func changed(_ collection: String, _ change: (inout [String: JSON]) -> Void) throws -> Registry {
        let documents = try BuiltInSchemas.documents.map { document in
            var json = try JSON(parsing: document.bytes).object ?? [:]
            if document.name == collection {
                var properties = json["properties"]?.object ?? [:]
                change(&properties)
                json["properties"] = .object(properties)
            }
            return (name: document.name, json: JSON.object(json))
        }
        return try Registry(documents: documents)
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
