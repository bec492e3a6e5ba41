import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
@testable import SyncStoreSQLite
import SyncTestKit
import SyncValues
import Testing

@Suite struct SchemaSQLTests {
    @Test func whatIsPrintedIsWhatANewDatabaseHas() throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let present = try store.pool.read { db in
            try String.fetchSet(
                db,
                sql: """
                    SELECT sql FROM sqlite_master
                    WHERE tbl_name NOT GLOB 'tidemark_*' AND name NOT GLOB 'sqlite_*'
                    """)
        }
        let printed = try SchemaSQL(registry)
        #expect(present.subtracting(printed.statements) == [])
        #expect(Set(printed.statements).subtracting(present) == [])
        let text = printed.text
        for statement in printed.statements where !text.contains("\(statement);\n") { Issue.record("\(statement)") }
    }

    private func registry(with more: String, _ changes: [String: JSON] = [:]) throws -> Registry {
        let added: [String: JSON] = [
            "$schema": "urn:tidemark:meta-schema", "title": .string(more), "type": "object",
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"],
            "properties": ["a": ["type": "string", "default": ""], "b": ["type": "boolean", "default": false]],
        ]
        let builtIn = try Registry.builtIn().collections.map { ($0.name, $0.document) }
        return try Registry(documents: builtIn + [(more, .object(added.merging(changes) { _, new in new }))])
    }

    @Test(arguments: ["tasks_sync", "tasks_ref_parent", "risks_created"])
    func aCollectionThatIsCalledAsAnIndexIsRefused(name: String) throws {
        let (folder, registry) = (try TemporaryFolder(), try registry(with: name))
        #expect(throws: SchemaError.self) { try SchemaSQL(registry) }
        let error = #expect(throws: SchemaError.self) {
            try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        }
        #expect(error?.pointer == "/title")
    }

    @Test func aCollectionWithoutFieldsHasATable() throws {
        let folder = try TemporaryFolder()
        _ = try SQLiteStore(
            path: folder.path("t.db"), registry: registry(with: "notes", ["properties": [:]]), opener: .server,
            mender: DraftMender())
    }

    @Test func keysOverTheSameFieldsHaveAnIndexEach() throws {
        let keys: JSON = [["fields": ["a"], "where": ["b": true]], ["fields": ["a"], "where": ["b": false]]]
        let statements = try SchemaSQL(registry(with: "notes", ["x-unique": keys])).statements
        #expect(statements.count { $0.hasPrefix("CREATE UNIQUE INDEX \"notes_unique_a") } == 2)
    }
}
