import CPQ
import Foundation
package import SyncSchema
package import SyncStorePostgreSQL

/// An empty database of its own for a test, in the cluster that `TIDEMARK_TEST_POSTGRESQL` names. It is dropped when
/// this is released.
package final class TestDatabase: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let cluster: String
    private let name: String
    package let address: ServerAddress

    package init() throws {
        guard let cluster = ProcessInfo.processInfo.environment["TIDEMARK_TEST_POSTGRESQL"] else {
            throw Failure(
                description: "TIDEMARK_TEST_POSTGRESQL is not set. `scripts/postgres start` starts a cluster, "
                    + "and prints its address. `scripts/test` does both.")
        }
        self.cluster = cluster
        name = "t\(UInt64.random(in: .min ... .max))"
        guard let query = cluster.firstIndex(of: "?"), let slash = cluster[..<query].lastIndex(of: "/") else {
            throw Failure(description: "TIDEMARK_TEST_POSTGRESQL has another form than postgres://user@/name?host=…")
        }
        address = try ServerAddress(cluster[...slash] + name + cluster[query...])
        try TestDatabase.run("CREATE DATABASE \(name)", cluster)
    }

    deinit { try? TestDatabase.run("DROP DATABASE \(name) WITH (FORCE)", cluster) }

    package func open(_ registry: Registry) throws -> PostgreSQLStore {
        try PostgreSQLStore(address: address, registry: registry)
    }

    /// Runs SQL beside the store, in this database.
    package func run(_ sql: String) throws { try TestDatabase.run(sql, address.text) }

    /// Ends the server's processes for all sessions of the database.
    package func endOtherSessions() throws {
        try run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }

    private static func run(_ sql: String, _ address: String) throws {
        let connection = PQconnectdb(address)
        defer { PQfinish(connection) }
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
    }
}
