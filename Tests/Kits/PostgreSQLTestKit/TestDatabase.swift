import CPQ
import Foundation
import SyncEngine
package import SyncSchema
package import SyncStore
package import SyncStorePostgreSQL
package import SyncStoreSQL
import Synchronization

/// An empty database of its own for a test, in the cluster that `TIDEMARK_TEST_POSTGRESQL` names. It is dropped when
/// this is released.
package final class TestDatabase: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let cluster: String
    private let name: String
    package let address: ServerAddress
    /// The address before and from its question mark on.
    private let (prefix, suffix): (String, String)

    /// `options` follow `CREATE DATABASE` and the name.
    package convenience init(_ options: String = "") throws {
        guard let cluster = ProcessInfo.processInfo.environment["TIDEMARK_TEST_POSTGRESQL"] else {
            throw Failure(
                description: "TIDEMARK_TEST_POSTGRESQL is not set. `scripts/postgres start` starts a cluster, "
                    + "and prints its address. `scripts/test` does both.")
        }
        try self.init(TestDatabase.create(in: cluster, options), in: cluster)
    }

    /// A copy of another database. Its sessions end, and begin again when they are next used.
    package convenience init(copyOf source: TestDatabase) throws {
        let name = try TestDatabase.copying.withLock { _ in
            try source.allowConnections(false)
            defer { try? source.allowConnections(true) }
            try source.endOtherSessions()
            return try TestDatabase.create(in: source.cluster, "TEMPLATE \(source.name)")
        }
        try self.init(name, in: source.cluster)
    }

    /// One copy at a time, because each changes its source's row in the cluster's catalogue.
    private static let copying = Mutex(())

    private init(_ name: String, in cluster: String) throws {
        guard let query = cluster.firstIndex(of: "?"), let slash = cluster[..<query].lastIndex(of: "/") else {
            throw Failure(description: "TIDEMARK_TEST_POSTGRESQL has another form than postgres://user@/name?host=…")
        }
        (self.name, self.cluster) = (name, cluster)
        prefix = String(cluster[...slash]) + name
        suffix = String(cluster[query...])
        address = try ServerAddress(prefix + suffix)
    }

    private static func create(in cluster: String, _ options: String) throws -> String {
        let name = "t\(UInt64.random(in: .min ... .max))"
        try run("CREATE DATABASE \(name) \(options)", cluster)
        return name
    }

    deinit { _ = try? TestDatabase.run("DROP DATABASE \(name) WITH (FORCE)", cluster) }

    package func open(
        _ registry: Registry, as opener: DatabaseOpener = .server(.ask),
        jumpFactor: @escaping @Sendable () -> Int64 = RestoreJump.randomFactor,
        longestQuestion: Duration = .seconds(30), machine: WallClock = .system
    ) throws -> PostgreSQLStore {
        try PostgreSQLStore(
            address: address, registry: registry, opener: opener, mender: DraftMender(), jumpFactor: jumpFactor,
            longestQuestion: longestQuestion, machine: machine)
    }

    /// The address as a command takes it.
    package var addressText: String { prefix + suffix }

    /// The address with further parameters, such as `options=-c%20role%3Dr`.
    package func address(with parameters: String) throws -> ServerAddress {
        try ServerAddress(prefix + suffix + "&" + parameters)
    }

    /// Runs SQL beside the store, in this database. Returns the rows of the last statement.
    @discardableResult package func run(_ sql: String) throws -> [[String?]] {
        try TestDatabase.run(sql, address.text)
    }

    /// The first value of a query.
    package func text(_ sql: String) throws -> String? { try run(sql).first?.first ?? nil }

    /// Ends the server's processes for all sessions of the database.
    package func endOtherSessions() throws {
        try TestDatabase.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'", cluster)
    }

    private func allowConnections(_ areAllowed: Bool) throws {
        try TestDatabase.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS \(areAllowed)", cluster)
    }

    @discardableResult private static func run(_ sql: String, _ address: String) throws -> [[String?]] {
        let connection = PQconnectdb(address)
        defer { PQfinish(connection) }
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) != 0 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }
}
