import ArgumentParser
import Foundation
import SyncProtocol
import SyncSchema
import SyncServer

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print what the collections become.",
        discussion: "Example: tidemark schema --format openapi > openapi.json")

    /// What can be printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonschema, openapi
    }

    @Option(help: "jsonschema: the collections' files; openapi: the API of a server with them.") var format: Format
    @Option(help: ArgumentHelp("A folder of schema files instead of the built-in collections.", valueName: "dir"))
    var schemas: String?

    func run() throws {
        let registry = try schemas.map { try Registry(folder: URL(filePath: $0)) } ?? Registry.builtIn()
        print(document(registry).prettyText, terminator: "")
    }

    private func document(_ registry: Registry) -> JSON {
        switch format {
        case .jsonschema: .array(registry.collections.map(\.document))
        case .openapi: OpenAPIDocument(registry).json
        }
    }
}
