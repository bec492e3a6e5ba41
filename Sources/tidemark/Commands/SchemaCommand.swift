import ArgumentParser
import Foundation
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStoreSQLite

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print what the collections become.",
        discussion: """
            jsonschema: the collections' files. openapi: the API of a server with them. watermelondb: an ES module with an \
            appSchema. typescript: types of the rows, pages and uploads. sql: the tables in the server's database.
            Example: tidemark schema --format openapi > openapi.json
            """)

    /// What can be printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonschema, openapi, watermelondb, typescript, sql
    }

    @Option(help: ArgumentHelp("What to print.", valueName: "format")) var format: Format
    @Option(help: ArgumentHelp("A folder of schema files instead of the built-in collections.", valueName: "dir"))
    var schemas: String?

    func run() throws {
        let registry = try schemas.map { try Registry(folder: URL(filePath: $0)) } ?? Registry.builtIn()
        print(try text(registry), terminator: "")
    }

    private func text(_ registry: Registry) throws -> String {
        switch format {
        case .jsonschema: JSON.array(registry.collections.map(\.document)).prettyText
        case .openapi: OpenAPIDocument(registry).json.prettyText
        case .watermelondb: try WatermelonSchema(registry).text
        case .typescript: TypeScriptTypes(registry).text
        case .sql: try SchemaSQL(registry).text
        }
    }
}
