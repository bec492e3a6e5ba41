import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// A PostgreSQL database whose schema files changed has the same tables as one that was made with the new files.
@Suite(.timeLimit(.minutes(30))) struct CatalogueTests {
    /// What the database is after being opened with the files, without the data that they removed.
    private func catalogue(_ database: TestDatabase, _ documents: Documents) async throws -> [String: [[String?]]] {
        let store = try database.open(documents.registry())
        _ = try await store.prune()
        store.close()
        return try database.catalogue()
    }

    private func fill(_ database: TestDatabase, _ change: SchemaChange, _ documents: Documents) async throws {
        let registry = try documents.registry()
        let store = try database.open(registry)
        let bench = try await Workbench(store, registry)
        for edit in change.rows { try await bench.edit(edit) }
        store.close()
    }

    @Test(arguments: SchemaChange.all) func aChangedDatabaseIsLikeANewOne(change: SchemaChange) async throws {
        let (changed, new) = (try TestDatabase(), try TestDatabase())
        var documents = try Documents()
        change.before(&documents)
        try await fill(changed, change, documents)
        change.after(&documents)
        let (after, expected) = try await (catalogue(changed, documents), catalogue(new, documents))
        for (kind, lines) in expected { expectSame(after[kind] ?? [], lines, kind) }
    }

    private func expectSame(_ lines: [[String?]], _ expected: [[String?]], _ kind: String) {
        #expect(Set(lines).subtracting(expected).isEmpty, "\(kind) that a new database does not have")
        #expect(Set(expected).subtracting(lines).isEmpty, "\(kind) that only a new database has")
        #expect(lines.count == expected.count)
    }

    /// One database goes through all changes, and back to the files of the beginning.
    @Test func aDatabaseGoesThroughAllChanges() async throws {
        let database = try TestDatabase()
        let expected = try await catalogue(database, try Documents())
        for change in SchemaChange.all {
            var documents = try Documents()
            change.before(&documents)
            try database.open(documents.registry()).close()
            change.after(&documents)
            try database.open(documents.registry()).close()
            for name in ["notes", "stickers", "pins", "retros"] where documents[name] != nil {
                documents[name, keyword: "x-removed"] = true
            }
            documents["tasks", "notes"] = try Documents()["tasks", "notes"]
            let after = try await catalogue(database, documents)
            for (kind, lines) in expected { expectSame(after[kind] ?? [], lines, "\(change): \(kind)") }
        }
    }

    /// A collection and fields that were removed come back with all that belongs to them.
    @Test func whatWasRemovedComesBackWhole() async throws {
        let database = try TestDatabase()
        var documents = try Documents()
        documents.add(
            "notes", ["flag": ["type": "boolean", "default": false], "text": ["type": "string", "default": ""]])
        documents["notes", "task"] = [
            "type": ["string", "null"], "default": nil, "x-ref": ["collection": "tasks", "on-delete": "clear"],
        ]
        let expected = try await catalogue(database, documents)
        var removed = documents
        for field in ["flag", "task"] {
            removed["notes", field] = .object(
                (documents["notes", field]?.object ?? [:]).merging(["x-removed": true]) { $1 })
        }
        try database.open(removed.registry()).close()
        removed["notes", keyword: "x-removed"] = true
        try database.open(removed.registry()).close()
        let after = try await catalogue(database, documents)
        for (kind, lines) in expected { expectSame(after[kind] ?? [], lines, kind) }
    }

    /// Indexes that somebody made for reports stay; a unique one would refuse rows.
    @Test func foreignIndexesStay() throws {
        let database = try TestDatabase()
        try database.open(Registry.builtIn()).close()
        try database.run("CREATE INDEX report ON tasks (name); CREATE UNIQUE INDEX strict ON tasks (name, id)")
        let registry = try Documents.registry {
            $0["tasks", "colour"] = ["type": ["string", "null"], "default": nil]
        }
        try database.open(registry).close()
        let names = try database.run("SELECT indexname FROM pg_indexes WHERE tablename = 'tasks'").map(\.[0])
        #expect(names.contains("report") && !names.contains("strict"))
    }
}
