import SyncProtocol
import SyncSchema
package import SyncStore
import SyncStoreSQL

/// Checks a database, also while servers run on it, and also on a standby, which is preferred if the address names one.
///
/// It reads every row of every table in one snapshot, so the cluster's data checksums see every page of them, and asks
/// everything that must hold between rows, counters, digests and records. Where the extension `amcheck` is installed,
/// indexes are compared with their tables. It changes nothing.
package struct PostgreSQLCheck {
    private let address: ServerAddress

    private let watch: CheckWatch

    package init(_ address: ServerAddress, watch: CheckWatch = CheckWatch()) {
        (self.address, self.watch) = (address, watch)
    }

    /// Throws a `StoreError` if there is no database of this version, or if the check could not be finished, and a
    /// `CancellationError` if it was ended.
    package func run() throws -> CheckReport {
        let connection = try Connection.forLongWork(address, onlyReading: true)
        let canceller = connection.canceller
        watch.onEnd { canceller?.cancel() }
        do {
            let session = Session(connection, .reading)
            defer { session.finishReading() }
            return try PostgreSQLCheckRun(session, try registry(session), watch).run()
        } catch let error as DatabaseError {
            try watch.requireGoingOn()
            throw failure(error)
        }
    }

    /// The collections that the tables were made for.
    private func registry(_ session: Session) throws -> Registry {
        guard try DatabaseLayout.isPresent(session) else { throw CopyFailure.noDatabase(address.description) }
        func setting(_ name: String) throws -> String? {
            try session.ask("SELECT value FROM tidemark_settings WHERE name = ?1", [.string(name)]).first?.string(0)
        }
        let layout = try setting("layout")
        guard layout == TableLayout.version else {
            throw StoreError(
                "The database \(address) was made by another version of Tidemark (layout \(layout ?? "unknown")).",
                hint: "Check it with that version, or start a server with this one first.")
        }
        return try RecordedSchemas.registry(setting("schemas"))
    }

    private func failure(_ error: DatabaseError) -> StoreError {
        if error.state == "40001" {
            return StoreError(
                "The standby ended the check, because it had to follow the primary.",
                hint: "Set max_standby_streaming_delay = -1 on a standby for checks, or check the primary.")
        }
        return StoreError(
            "The check of \(address) could not be finished: \(error.message.trimmed).",
            hint: "This says nothing about the database. Try again.")
    }
}
