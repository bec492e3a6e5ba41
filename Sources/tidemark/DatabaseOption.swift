import ArgumentParser
import Foundation
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores

/// `--database`, which most commands take, and `--schemas`, which must be the same as the server's.
struct DatabaseOption: ParsableArguments {
    @OptionGroup var file: DatabasePath

    @OptionGroup var collections: SchemasOption

    /// The folder of schema files; nil for the built-in collections.
    var schemas: String? { collections.folder }

    var path: String { file.path }

    func registry() throws -> Registry { try collections.registry() }

    /// Runs `body` on an existing database, next to a server that may be running on it. Closes the database in any
    /// case, so a command that was alone leaves no write-ahead log. A command that reads must not write.
    func with<Value>(
        _ command: any ClassifiedCommand.Type, files: FileSettings = FileSettings(),
        _ body: (Wiring) async throws -> Value
    ) async throws -> Value {
        guard let opener = command.databaseUse.opener else {
            preconditionFailure("\(command) says that it opens no database.")
        }
        return try await with(
            try await Wiring(database: path, schemas: schemas, as: opener, mustExist: true, files: files), body)
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

/// `--database`: what a command works on, a file or a PostgreSQL database.
struct DatabasePath: ParsableArguments {
    static let variable = "TIDEMARK_DATABASE"

    @Option(
        name: .customLong("database"),
        help: ArgumentHelp(
            "The database file, or postgres://user@host/name. (default: the variable TIDEMARK_DATABASE, or "
                + "tidemark.db)", valueName: "file"))
    var file: String?

    /// Throws a `CommandError` for a database that is not a file; `command` is what needs one.
    func requireFile(_ command: String, instead: String) throws -> String {
        guard !EngineStore.isServer(path) else {
            throw CommandError("`tidemark \(command)` is for database files. \(instead)")
        }
        return path
    }

    var path: String { path(in: ProcessInfo.processInfo.environment) }

    /// An empty variable counts as unset.
    func path(in environment: [String: String]) -> String {
        file ?? Variables.value(of: DatabasePath.variable, in: environment) ?? "tidemark.db"
    }

    /// Where the path comes from.
    var origin: EffectiveSettings.Origin {
        if file != nil { return .flag }
        let environment = ProcessInfo.processInfo.environment
        return Variables.value(of: DatabasePath.variable, in: environment) == nil ? .default : .environment
    }
}

/// What a command does with a server's database, and so with a backup that waits for its restore.
enum DatabaseUse {
    /// It opens none. It works on a replica, over the network, or on nothing.
    case none
    /// It reads. A backup that waits for its restore stays as it is, byte for byte, and no file is made beside it.
    /// `backup` adds an entry to the audit list of any other database.
    case reads
    /// It writes. A backup that waits for its restore is refused, in a sentence that says how to restore it.
    case writes
    /// It is the restore: it raises the numbers of a backup and removes its mark.
    case restores
    /// It says that a PostgreSQL database was promoted.
    case promotes

    /// How a command opens a database. Nil if it opens none.
    var opener: DatabaseOpener? {
        switch self {
        case .none: nil
        case .reads: .reader
        case .writes: .guest
        case .restores: .restored
        case .promotes: .promoted
        }
    }
}

/// A command that says what it does with a server's database. Every command does that has no subcommands; a test walks
/// through all of them. `DatabaseOption` opens a database only for such a command, and in its way.
protocol ClassifiedCommand: ParsableCommand {
    static var databaseUse: DatabaseUse { get }
}
