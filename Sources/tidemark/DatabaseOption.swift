import ArgumentParser
import Foundation
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStores

/// `--database`, which most commands take, and `--schemas`, which must be the same as the server's.
struct DatabaseOption: ParsableArguments {
    @OptionGroup var file: DatabasePath

    @Option(help: ArgumentHelp("A folder of schema files, instead of the built-in collections.", valueName: "dir"))
    var schemas: String?

    var path: String { file.path }

    /// The collections of `schemas`, or the built-in ones.
    func registry() throws -> Registry {
        try schemas.map { try Registry(folder: URL(filePath: $0)) } ?? Registry.builtIn()
    }

    /// Runs `body` on an existing database, next to a server that may be running on it. Closes the database in any
    /// case, so a command that was alone leaves no write-ahead log. A command that reads must not write.
    func with<Value>(
        _ command: any ClassifiedCommand.Type, _ body: (Wiring) async throws -> Value
    ) async throws -> Value {
        guard let opener = command.databaseUse.opener else {
            preconditionFailure("\(command) says that it opens no database.")
        }
        return try await with(
            try await Wiring(database: path, schemas: schemas, as: opener, mustExist: true), body)
    }

    /// Like `with` for a command that writes, but makes the database if there is none.
    func withNew<Value>(_ body: (Wiring) async throws -> Value) async throws -> Value {
        try await with(try await Wiring(database: path, schemas: schemas, as: .guest), body)
    }

    /// Runs `body`, and closes the file in any case.
    func with<Value>(_ wiring: Wiring, _ body: (Wiring) async throws -> Value) async throws -> Value {
        let value: Value
        do {
            value = try await body(wiring)
        } catch {
            try? wiring.store.close()
            throw error
        }
        // What was written is durable, also if closing fails and the write-ahead log stays.
        try? wiring.store.close()
        return value
    }
}
