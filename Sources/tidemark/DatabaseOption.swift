import ArgumentParser
import SyncStoreSQLite

/// `--database`, which most commands take, and `--schemas`, which must be the server's.
struct DatabaseOption: ParsableArguments {
    @Option(help: ArgumentHelp("The database file; made where it is missing.", valueName: "file"))
    var database = "tidemark.db"

    @Option(help: ArgumentHelp("A folder of schema files instead of the built-in collections.", valueName: "dir"))
    var schemas: String?

    /// Opens the file next to a server that may be running on it.
    func open() async throws -> Wiring { try await Wiring(database: database, schemas: schemas, as: .guest) }
}
