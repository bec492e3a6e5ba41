import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Testing

@testable import SyncStorePostgreSQL

/// A database whose rows don't note what moves them between parts.
@Suite(.timeLimit(.minutes(30))) struct PartUpgradeTests {
    /// A database of layout 9, and the form that it has to get.
    private func older(_ registry: Registry) async throws -> (TestDatabase, [String: [[String?]]]) {
        let database = try TestDatabase()
        let store = try database.open(registry)
        let bench = try await Workbench(store, registry)
        try await bench.edit { try $0.insert("tasks", "t1", ["name": "T"]) }
        store.close()
        let present = try database.catalogue()
        for collection in registry.collections {
            try database.run("ALTER TABLE \"\(collection.name)\" DROP COLUMN filter_seq")
        }
        try database.run(
            """
            ALTER TABLE tidemark_projects DROP COLUMN filter_floor;
            UPDATE tidemark_settings SET value = '9' WHERE name = 'layout';
            UPDATE tidemark_settings SET value = '4' WHERE name = 'postgresql_layout'
            """)
        return (database, present)
    }

    @Test func aServerBringsItUpToDate() async throws {
        let registry = try Registry.builtIn()
        let (database, present) = try await older(registry)
        let error = #expect(throws: StoreError.self) { try database.open(registry, as: .guest) }
        #expect(error?.description.contains("older version") == true)
        let store = try database.open(registry)
        defer { store.close() }
        #expect(try database.catalogue() == present)
        let project = try #require(try await store.read(.project("p1")) { try $0.project("p1") })
        #expect(project.filterFloor == project.head && project.head > .zero)
        let row = try #require(try await store.read(.project("p1")) { try $0.record(RowKey("tasks", "t1")) })
        #expect(row.filterSeq == nil && row.createdSeq == project.head)
        try database.open(registry, as: .guest).close()
    }

    /// The files have changed as well, as they did with the version that knows of parts.
    @Test func otherFilesAreTakenInTheSameStart() async throws {
        let (database, _) = try await older(Registry.builtIn())
        let registry = try Documents.registry { documents in
            documents.add("samples", ["at": ["type": ["string", "null"], "format": "date", "x-filterable": true]])
        }
        let store = try database.open(registry)
        defer { store.close() }
        let project = try #require(try await store.read(.project("p1")) { try $0.project("p1") })
        #expect(project.filterFloor == project.head)
        let indexes = try database.run("SELECT indexname FROM pg_indexes WHERE indexname LIKE '%\\_moved' ORDER BY 1")
        #expect(indexes.contains(["samples_moved"]) && indexes.contains(["tasks_moved"]))
    }
}
