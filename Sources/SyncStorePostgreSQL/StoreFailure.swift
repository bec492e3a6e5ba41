import SyncProtocol
import SyncStore

/// Translates the server's errors, and notes what they tell of the database.
final class StoreFailure: Sendable {
    let troubles = TroubleBoard()

    func translated<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw translation(of: error) }
    }

    private func translation(of error: any Error) -> any Error {
        guard let failure = error as? DatabaseError else { return error }
        if failure.saysDamage {
            troubles.note(.damaged)
            return StoreError(
                "The database reports damaged data (\(failure.message)).",
                hint: "Fail over to a standby, or restore a backup.")
        }
        if failure.isConnectionLost {
            // A failover takes some seconds, and clients give up after some tries.
            return Problem(
                .busy, "The database can't be reached now. Nothing was applied. Try again.",
                members: ["retry_after": .int(Int64.random(in: 2...5))])
        }
        if failure.saysNoRoom {
            troubles.note(.diskFull)
            return Problem.diskFull
        }
        if failure.isReadOnly {
            troubles.note(.readOnly)
            return Problem.databaseReadOnly
        }
        let isBusy = failure.isWorthAnotherTry || failure.isOutOfResources || failure.isTooSlow
        return isBusy ? Problem(.busy, "The database can't answer now. Nothing was applied. Try again.") : failure
    }
}

extension StoreError {
    /// What an error of the server means to somebody who opens the database.
    init(opening address: ServerAddress, as user: String, _ error: DatabaseError) {
        switch error.state {
        case "42501", "3F000":
            self.init(
                "The user \(user) may not make tables in \(address).",
                hint: "As the owner of the database, run: GRANT ALL ON SCHEMA public TO \"\(user)\"")
        case "42P07", "42710":
            self.init(
                "The database \(address) already has something whose name Tidemark needs: \(error.message.trimmed).",
                hint: "Rename that, or give Tidemark a database of its own.")
        case "54000", "54011", "54023":
            self.init(
                "A table would exceed a limit of PostgreSQL: \(error.message.trimmed).",
                hint: "Columns that were dropped count too. Shorten the values, or make a new database.")
        case "55P03", "40P01":
            self.init(
                "The tables of \(address) are in use, so they can't be changed now.",
                hint: "Try again. If that does not help, stop the other servers first.")
        default:
            let what = error.isConnectionLost ? "was lost while it was opened" : "could not be opened"
            self.init(
                "The database \(address) \(what): \(error.message.trimmed).", hint: "See the log of the server.")
        }
    }
}
