import ArgumentParser
import Foundation
import SyncStoreSQLite

/// `--database`, which most commands take, and `--schemas`, which must be the server's.
struct DatabaseOption: ParsableArguments {
    @Option(
        name: .customLong("database"),
        help: ArgumentHelp(
            "The database file; made where it is missing. (default: tidemark.db)", valueName: "file"))
    var file: String?

    var database: String { file ?? "tidemark.db" }

    @Option(help: ArgumentHelp("A folder of schema files instead of the built-in collections.", valueName: "dir"))
    var schemas: String?

    /// Opens the file next to a server that may be running on it.
    func open() async throws -> Wiring { try await Wiring(database: database, schemas: schemas, as: .guest) }

    /// Opens the file where there is one, for commands that make no sense on a new one.
    func openExisting() async throws -> Wiring {
        try await Wiring(database: database, schemas: schemas, as: .guest, mustExist: true)
    }
}
