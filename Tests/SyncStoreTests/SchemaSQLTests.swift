import GRDB
import SyncSchema
import SyncTestKit
import Testing

@testable import SyncStoreSQLite

@Suite struct SchemaSQLTests {
    @Test func whatIsPrintedIsWhatANewDatabaseHas() throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server)
        let present = try store.pool.read { db in
            try String.fetchSet(
                db,
                sql: """
                    SELECT sql FROM sqlite_master
                    WHERE tbl_name NOT GLOB 'tidemark_*' AND name NOT GLOB 'sqlite_*'
                    """)
        }
        let printed = SchemaSQL(registry)
        #expect(present.subtracting(printed.statements) == [])
        #expect(Set(printed.statements).subtracting(present) == [])
        let text = printed.text
        for statement in printed.statements where !text.contains("\(statement);\n") { Issue.record("\(statement)") }
    }
}
