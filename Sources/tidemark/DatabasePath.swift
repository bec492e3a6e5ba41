import ArgumentParser
import Foundation
import SyncStore
import SyncStoreSQLite
import SyncStores

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
