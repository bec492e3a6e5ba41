import GRDB
import SyncProtocol

@testable import SyncClientCore

/// A version of this library that knows of no settled states. It works on a new replica without its tables: what it
/// finds there is put aside, and is there again when it is done.
struct OlderClient {
    private static let tables = ["_settled", "_kept_drain", "_kept_page"]

    let replica: Replica
    let transport: any Transport
    let pageSize: Int

    /// Drains once, and stores each page as it comes. Ends early, with an open drain, after so many pages.
    func drain(pages: Int = .max) async throws {
        let remote = try Remote(url: "http://server", scope: replica.state().scope, token: "t")
        try putAside()
        defer { try? putBack() }
        guard let schema = try replica.schema() else { return }
        for _ in 0..<pages {
            let state = try plainState()
            let request = remote.request(
                .page(since: state.since, cursor: state.drain?.cursor, size: pageSize), timeout: .seconds(1))
            guard case .success(let page) = Verdict(try await transport.send(request), pageOf: schema) else { return }
            _ = try replica.write { db in
                let receipt = try PageStore(db: db, schema: schema, time: .test).place(
                    page, after: state, replacing: [])
                try receipt.state.save(db)
            }
            if page.nextCursor == nil { return }
        }
    }

    /// What `_replica` says alone.
    private func plainState() throws -> ReplicaState {
        try replica.edit("DELETE FROM _settled; DELETE FROM _kept_drain; DELETE FROM _kept_page")
        var state = try replica.state()
        state.settled = nil
        return state
    }

    /// The names begin with `_`, so these are no collections.
    private func putAside() throws {
        for table in Self.tables { try replica.edit("CREATE TABLE _aside\(table) AS SELECT * FROM \(table)") }
    }

    private func putBack() throws {
        for table in Self.tables {
            try replica.edit(
                """
                DELETE FROM \(table);
                INSERT INTO \(table) SELECT * FROM _aside\(table);
                DROP TABLE _aside\(table)
                """)
        }
    }
}
