import ArgumentParser
import Foundation
import SyncStore
import SyncStoreSQLite

/// `--database`: the file that a command works on.
struct DatabasePath: ParsableArguments {
    static let variable = "TIDEMARK_DATABASE"

    @Option(
        name: .customLong("database"),
        help: ArgumentHelp(
            "The database file. (default: the variable TIDEMARK_DATABASE, or tidemark.db)", valueName: "file"))
    var file: String?

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
