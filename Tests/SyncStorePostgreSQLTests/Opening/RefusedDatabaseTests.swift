import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// Databases that can't be served are refused in words, and stay as they are.
@Suite(.timeLimit(.minutes(30))) struct RefusedDatabaseTests {
    private func refusal(
        _ database: TestDatabase, _ address: ServerAddress? = nil, _ opener: DatabaseOpener = .guest
    ) throws -> String {
        let before = try database.catalogue()
        let error = #expect(throws: StoreError.self) {
            try PostgreSQLStore(
                address: address ?? database.address, registry: .builtIn(), opener: opener, mender: DraftMender())
        }
        #expect(try database.catalogue() == before)
        return error?.description ?? ""
    }

    private func made() throws -> TestDatabase {
        let database = try TestDatabase()
        try database.open(Registry.builtIn()).close()
        return database
    }

    @Test(arguments: ["layout", "postgresql_layout"]) func aNewerLayoutIsRefused(setting: String) throws {
        let database = try made()
        for value in ["1000", "later"] {
            try database.run("UPDATE tidemark_settings SET value = '\(value)' WHERE name = '\(setting)'")
            let words = try refusal(database, nil, .server(.ask))
            #expect(words.contains("newer version") && words.contains("not changed"), "\(words)")
        }
    }

    /// Versions before the layout had its number lack tables.
    @Test func anUnfinishedLayoutIsRefused() throws {
        let database = try made()
        try database.run(
            "DELETE FROM tidemark_settings WHERE name = 'postgresql_layout'; DROP TABLE tidemark_home, tidemark_nodes")
        let words = try refusal(database, nil, .server(.ask))
        #expect(words.contains("unfinished version") && words.contains("tidemark export"), "\(words)")
    }

    /// A server makes what a database of the version before lacks; a command says that a server must.
    @Test func aDatabaseOfTheVersionBeforeIsBroughtUpToDate() async throws {
        let database = try made()
        let present = try database.catalogue()
        try database.run(
            """
            DROP TABLE tidemark_audit; ALTER TABLE tidemark_devices DROP COLUMN sent, DROP COLUMN sent_at;
            UPDATE tidemark_settings SET value = '1' WHERE name = 'postgresql_layout'
            """)
        let words = try refusal(database)
        #expect(words.contains("older version"), "\(words)")
        let store = try database.open(.builtIn())
        defer { store.close() }
        #expect(try database.catalogue() == present)
        let entry = AuditEntry(.purged, by: .thisProcess, at: Instant(milliseconds: 1))
        try await store.write(.installation) { try $0.audit(entry) }
        try database.open(.builtIn(), as: .guest).close()
    }

    @Test func aCommandNeverChangesTables() throws {
        let database = try made()
        let registry = try Documents.registry { $0.add("notes", ["text": ["type": "string", "default": ""]]) }
        let before = try database.catalogue()
        for opener in [DatabaseOpener.guest, .promoted, .restored] {
            let error = #expect(throws: StoreError.self) { try database.open(registry, as: opener) }
            #expect(error?.description.contains("other schema files") == true)
            #expect(error?.hint.contains("start the server with these files first") == true)
        }
        #expect(try database.catalogue() == before)
    }

    @Test func anotherEncodingIsRefused() throws {
        let database = try TestDatabase("ENCODING 'SQL_ASCII' TEMPLATE template0")
        let words = try refusal(database)
        #expect(words.contains("SQL_ASCII") && words.contains("createdb --encoding=UTF8"), "\(words)")
    }

    @Test func aUserWithoutRightsIsTold() throws {
        let database = try TestDatabase()
        let role = "r\(UInt64.random(in: .min ... .max))"
        try database.run("CREATE ROLE \(role) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        defer { _ = try? database.run("DROP ROLE \(role)") }
        let address = try database.address(with: "user=\(role)")
        let words = try refusal(database, address)
        #expect(words.contains(role) && words.contains("GRANT ALL ON SCHEMA public"), "\(words)")
    }

    @Test(arguments: ["tasks", "tasks_sync", "tidemark_users"]) func aNameThatIsTakenIsNamed(name: String) throws {
        let database = try TestDatabase()
        try database.run("CREATE TABLE others (id BIGINT PRIMARY KEY); CREATE VIEW \(name) AS SELECT * FROM others")
        let words = try refusal(database, nil, .server(.ask))
        #expect(words.contains("already has \(name)") && words.contains("of its own"), "\(words)")
    }

    @Test func otherTablesAreLeftAlone() throws {
        let database = try TestDatabase()
        try database.run("CREATE TABLE others (id BIGINT PRIMARY KEY); INSERT INTO others VALUES (7)")
        try database.open(Registry.builtIn()).close()
        #expect(try database.run("SELECT id FROM others") == [["7"]])
        try database.run("CREATE TABLE notes (id BIGINT)")
        let registry = try Documents.registry { $0.add("notes", ["text": ["type": "string", "default": ""]]) }
        let error = #expect(throws: StoreError.self) { try database.open(registry) }
        #expect(error?.description.contains("already has notes") == true)
    }

    @Test func anOldServerIsRefused() throws {
        let address = try ServerAddress("postgres://db/plans")
        let error = #expect(throws: StoreError.self) {
            try ServerRequirements.require(server: 130_012, "13.12", encoding: "UTF8", address)
        }
        #expect(error?.description == "PostgreSQL 13.12 is too old. Use PostgreSQL 14 or later.")
        try ServerRequirements.require(server: 140_000, "14.0", encoding: "UTF8", address)
    }

    @Test func missingChecksumsAreAWarning() {
        #expect(ServerRequirements.warnings(dataChecksums: "off").first?.contains("pg_checksums --enable") == true)
        #expect(ServerRequirements.warnings(dataChecksums: "on").isEmpty)
    }

    /// Rows are in the order of their bytes, whatever the database's own collation says.
    @Test func theDatabasesOwnCollationDoesNotMatter() async throws {
        let database = try TestDatabase("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'")
        let registry = try Registry.builtIn()
        let store = try database.open(registry)
        defer { store.close() }
        let bench = try await Workbench(store, registry)
        let ids = ["a", "B", "_c", "Z", "é", "b"]
        try await bench.edit { editor in for id in ids { try editor.insert("tasks", id, ["name": .string(id)]) } }
        #expect(try database.run("SELECT 'a' < 'B'") == [["t"]], "the collation differs from C")
        let rows = try await store.read(.project("p1")) { try $0.records(in: registry["tasks"]!, project: "p1") }
        #expect(Set(rows.map(\.id)) == Set(ids))
        #expect(try await bench.brokenInvariants() == [])
        let drained = try await Drained(
            store, registry, project: "p1", since: .zero, by: bench.caller(.owner), pageSize: 1)
        #expect(Set(drained.rows.keys.filter { $0.collection == "tasks" }.map(\.id)) == Set(ids))
    }
}
