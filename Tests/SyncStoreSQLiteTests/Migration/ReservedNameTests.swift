import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Testing

@testable import SyncStoreSQLite
import SyncValues

/// Names that became paths of the server after schemas could have them.
@Suite struct ReservedNameTests {
    private static let names = ["devices", "events", "admin", "console", "client", "history", "files", "uploads"]

    private func registry(_ name: String) throws -> Registry {
        try Documents.registry { $0.add(name, ["text": ["type": "string"]], required: ["text"]) }
    }

    private func open(_ path: String, _ registry: Registry) throws -> SQLiteStore {
        try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
    }

    @Test(arguments: names) func aNewCollectionCannotTakeIt(name: String) throws {
        let folder = try TemporaryFolder()
        for isNew in [true, false] {
            if !isNew { try open(folder.path("old.db"), .builtIn()).close() }
            let error = #expect(throws: SchemaError.self) {
                try open(folder.path(isNew ? "new.db" : "old.db"), registry(name))
            }
            #expect(error?.file == name && error?.pointer == "/title")
            #expect(error?.reason.contains("another name") ?? false)
        }
        try open(folder.path("old.db"), .builtIn()).close()
    }

    /// A database that an older version made with such a collection.
    @Test(arguments: names) func whatIsThereKeepsItsName(name: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("t.db")
        try open(path, registry("gadgets")).close()
        try await DatabaseQueue(path: path).write { db in
            try db.execute(sql: "ALTER TABLE gadgets RENAME TO \(name)")
            try db.execute(
                sql: "UPDATE tidemark_settings SET value = replace(value, 'gadgets', ?1) WHERE name = 'schemas'",
                arguments: [name])
        }
        let bench = try await Workbench(open(path, registry(name)), registry(name))
        try await bench.edit { try $0.insert(name, "x", ["text": "T"]) }
        #expect(try await bench.store.read { try $0.record(RowKey(name, "x")) != nil })
        try bench.store.close()
        try open(path, registry(name)).close()
        #expect(try DatabaseCheck(path: path).run().isSound)
    }

    @Test(arguments: ["auth", "sync"]) func olderPathsWereNeverFree(name: String) throws {
        #expect(throws: SchemaError.self) { try registry(name) }
    }
}
