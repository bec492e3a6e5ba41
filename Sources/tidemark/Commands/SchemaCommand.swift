import ArgumentParser
import Foundation
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the collections in a format, or drop removed fields and collections.",
        discussion: """
            Without a subcommand it prints: \
            tidemark schema --format jsonschema|openapi|watermelondb|typescript|swift|sql [--all-projects] \
            [--schemas <dir>]
            Example: tidemark schema --format openapi > openapi.json
            """,
        subcommands: [Print.self, Prune.self], defaultSubcommand: Print.self)

    /// The formats that can be printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonschema, openapi, watermelondb, typescript, swift, sql
    }

    struct Print: ParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.none
        static let configuration = CommandConfiguration(
            abstract: "Print the collections in a format. `tidemark schema` alone does the same.",
            discussion: """
                jsonschema: the schema files. openapi: the API of a server with these collections. watermelondb: an ES \
                module with an appSchema. typescript: types of the rows, pages and uploads. swift: models of the rows \
                for an app with the Swift client. sql: the tables in the server's database. With --all-projects, every \
                table has a project_id: for a database that holds all of a user's projects.
                Example: tidemark schema --format openapi > openapi.json
                """)

        @Option(help: ArgumentHelp("The format to print.", valueName: "format")) var format: Format
        @OptionGroup var schemas: SchemasOption
        @Flag(help: "For a database of all of a user's projects: watermelondb, typescript, swift or sql.")
        var allProjects = false

        func validate() throws {
            guard allProjects, [.jsonschema, .openapi].contains(format) else { return }
            throw ValidationError(
                "--all-projects is for watermelondb, typescript, swift and sql. The \(format.rawValue) is the same for "
                    + "one project and for all: leave it out.")
        }

        func run() throws {
            try Terminal.result(text: Self.text(schemas.registry(), as: format, allProjects: allProjects))
        }

        /// The server's tables have the project of each row in any case.
        static func text(_ registry: Registry, as format: Format, allProjects: Bool = false) throws -> String {
            switch format {
            case .jsonschema: JSON.array(registry.collections.map(\.document)).prettyText
            case .openapi: OpenAPIDocument(registry).json.prettyText
            case .watermelondb: try WatermelonSchema(registry, allProjects: allProjects).text
            case .typescript: TypeScriptTypes(registry, allProjects: allProjects).text
            case .swift: SwiftModels(registry, allProjects: allProjects).text
            case .sql: try SchemaSQL(registry).text
            }
        }
    }

    struct Prune: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Permanently drop the values of removed fields and the rows of removed collections.",
            discussion: """
                The database keeps the data of everything with "x-removed": true in the schema files until you drop \
                it. Before that, a server must have been started with these files; it may still be running. Make a \
                backup first: dropped data can't be brought back.
                Example: tidemark schema prune --database plans.db --schemas schemas
                """)

        @Flag(help: "Print the result as JSON.") var json = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let now = WallClock.system.now()
            let report = try await database.with(Self.self) { wiring in
                try await wiring.store.prune { report in
                    AuditEntry(.schemaPruned, by: .thisProcess, details: report.json.object ?? [:], at: now)
                }
            }
            try json ? Terminal.result(json: report.json) : Terminal.result(report.text)
        }
    }
}

extension PruneReport {
    var json: JSON {
        [
            "fields": .array(fields.map(JSON.string)), "collections": .array(collections.map(JSON.string)),
            "rows": .int(Int64(rows)),
        ]
    }

    var text: String {
        guard !(fields.isEmpty && collections.isEmpty) else { return "There is nothing to drop." }
        let names = fields.map { "the field \($0)" } + collections.map { "the collection \($0)" }
        return "Dropped \(names.joined(separator: ", "))" + (collections.isEmpty ? "." : "; \(counted(rows, "row")).")
    }
}
