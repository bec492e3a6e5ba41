import ArgumentParser
import Foundation
import SyncSchema

/// `--schemas`: the collections of a command, which must be those of the server.
struct SchemasOption: ParsableArguments {
    static let variable = "TIDEMARK_SCHEMAS"

    @Option(
        name: .customLong("schemas"),
        help: ArgumentHelp(
            "A folder of schema files, instead of the built-in collections. (default: the variable TIDEMARK_SCHEMAS)",
            valueName: "dir"))
    var option: String?

    /// Nil for the built-in collections. An empty variable counts as unset.
    var folder: String? { option ?? Variables.value(of: Self.variable, in: ProcessInfo.processInfo.environment) }

    /// Where the folder comes from.
    var origin: EffectiveSettings.Origin {
        if option != nil { return .flag }
        return folder == nil ? .default : .environment
    }

    func registry() throws -> Registry { try Registry.reading(folder) }
}

extension Registry {
    /// The collections of a folder of schema files, or the built-in ones. Throws a `SchemaError`.
    static func reading(_ folder: String?) throws -> Registry {
        try folder.map { try Registry(folder: URL(filePath: $0)) } ?? Registry.builtIn()
    }
}
