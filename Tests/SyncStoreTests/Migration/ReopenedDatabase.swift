import Foundation
import GRDB
import PostgreSQLTestKit
import SyncEngine
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// A database that is opened again and again, with changed schema files.
final class ReopenedDatabase: Sendable {
    enum Engine: CaseIterable, Sendable {
        case sqlite, postgresql
    }

    private enum Place {
        case file(TemporaryFolder)
        case server(TestDatabase)
    }

    private let place: Place

    init(_ engine: Engine) throws {
        place =
            switch engine {
            case .sqlite: .file(try TemporaryFolder())
            case .postgresql: .server(try TestDatabase())
            }
    }

    func open(_ documents: Documents, isServer: Bool = true) throws -> EngineStore {
        let registry = try documents.registry()
        switch place {
        case .file(let folder):
            return .sqlite(
                try SQLiteStore(
                    path: folder.path("t.db"), registry: registry, opener: isServer ? .server : .guest,
                    mender: DraftMender()))
        case .server(let database):
            return .postgreSQL(try database.open(registry, as: isServer ? .server(.ask) : .guest))
        }
    }

    /// Runs SQL beside the store. Returns the rows of the last statement, as texts.
    @discardableResult func run(_ sql: String) throws -> [[String?]] {
        switch place {
        case .server(let database): return try database.run(sql)
        case .file(let folder):
            let queue = try DatabaseQueue(path: folder.path("t.db"))
            defer { try? queue.close() }
            return try queue.write { db in
                try Row.fetchAll(db, sql: sql).map { row in
                    row.databaseValues.map { value in
                        value.isNull ? nil : String.fromDatabaseValue(value) ?? "\(value.storage.value ?? "")"
                    }
                }
            }
        }
    }

    /// The names of the table's columns; empty if there is no table.
    func columns(of table: String) throws -> [String] {
        switch place {
        case .file: try run("SELECT name FROM pragma_table_info('\(table)')").compactMap(\.[0])
        case .server:
            try run("SELECT column_name FROM information_schema.columns WHERE table_name = '\(table)'")
                .compactMap(\.[0])
        }
    }

    /// Every table with its definition, and every row, as texts.
    func content() throws -> [String: [[String?]]] {
        switch place {
        case .file:
            let tables = try run("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map {
                    ("\($0[0]!): \($0[1] ?? "")", try run("SELECT * FROM \"\($0[0]!)\" ORDER BY 1, 2"))
                })
        case .server(let database):
            var content = try database.catalogue()
            let tables = try run(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
            // Each start writes a receipt, and each running server is a node.
            for case let table? in tables.map(\.[0]) where !["tidemark_receipts", "tidemark_nodes"].contains(table) {
                content[table] = try run("SELECT t::text FROM \"\(table)\" t ORDER BY 1")
            }
            return content
        }
    }

    /// Expects a check to find nothing.
    func check(_ note: String = "") throws {
        let report = try EngineStore.check(address, files: nil)
        #expect(report.isSound, "\(note): \(report.text)")
    }

    /// The path of the file, or the server's address.
    private var address: String {
        switch place {
        case .file(let folder): folder.path("t.db")
        case .server(let database): database.address.text
        }
    }

    /// What `tidemark copy` makes of the database, which is served no more.
    func moved(to engine: Engine, _ documents: Documents) async throws -> ReopenedDatabase {
        let copy = try ReopenedDatabase(engine)
        let (source, target) = (address, copy.address)
        _ = try await offThePool {
            try DatabaseCopy(
                from: source, to: target, documents.registry(), mender: DraftMender(), keepsSource: false
            ).run()
        }
        return copy
    }

    /// The definitions in the server's catalogue.
    func catalogue() throws -> [String: [[String?]]] {
        guard case .server(let database) = place else { return [:] }
        return try database.catalogue()
    }
}
