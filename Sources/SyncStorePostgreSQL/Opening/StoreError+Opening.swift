import SyncStore

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
