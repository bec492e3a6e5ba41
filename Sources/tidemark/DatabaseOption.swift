import ArgumentParser
import Foundation
import SyncStore
import SyncStoreSQLite

/// `--database`, which most commands take, and `--schemas`, which must be the server's.
struct DatabaseOption: ParsableArguments {
    @OptionGroup var file: DatabasePath

    @Option(help: ArgumentHelp("A folder of schema files instead of the built-in collections.", valueName: "dir"))
    var schemas: String?

    var path: String { file.path }

    /// Runs `body` on a file that is there, next to a server that may be running on it. Closes it in any case, so that
    /// a command that was alone leaves no log behind.
    func with<Value>(_ body: (Wiring) async throws -> Value) async throws -> Value {
        try await with(try await Wiring(database: path, schemas: schemas, as: .guest, mustExist: true), body)
    }

    /// The same for a command that makes a database where none is.
    func withNew<Value>(_ body: (Wiring) async throws -> Value) async throws -> Value {
        try await with(try await Wiring(database: path, schemas: schemas, as: .guest), body)
    }

    func with<Value>(_ wiring: Wiring, _ body: (Wiring) async throws -> Value) async throws -> Value {
        let value: Value
        do {
            value = try await body(wiring)
        } catch {
            try? wiring.store.close()
            throw error
        }
        // What was written is durable, and a log that stays is as good.
        try? wiring.store.close()
        return value
    }
}
