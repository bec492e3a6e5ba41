import ArgumentParser
import Foundation
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing
@testable import tidemark

@Suite struct SchemaCommandTests {
    @Test(arguments: ["yaml", ""])
    func anotherFormatIsWrongUsageAndTheSentenceNamesThoseThatThereAre(format: String) {
        let error = #expect(throws: (any Error).self) { try SchemaCommand.parseAsRoot(["--format", format]) }
        guard let error else { return }
        let message = SchemaCommand.fullMessage(for: error)
        for format in SchemaCommand.Format.allCases { #expect(message.contains(format.rawValue)) }
        #expect(SchemaCommand.exitCode(for: error) == .validationFailure)
    }

    /// The built-in files, with one collection and one field removed.
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for collection in try Registry.builtIn().collections {
            var json = collection.document.object ?? [:]
            if collection.name == "task_links" { json["x-removed"] = true }
            if collection.name == "tasks", var properties = json["properties"]?.object {
                properties["wbs_path"] = ["type": ["string", "null"], "default": nil, "x-removed": true]
                json["properties"] = .object(properties)
            }
            try Data(JSON.object(json).bytes).write(to: folder.url.appending(path: collection.name + ".json"))
        }
        return folder
    }

    @Test(arguments: SchemaCommand.Format.allCases)
    func whatIsRemovedIsNotPrinted(format: SchemaCommand.Format) throws {
        let folder = try folder()
        let text = try SchemaCommand.Print.text(Registry(folder: folder.url), as: format)
        for word in ["task_links", "wbs_path", "x-removed"] { #expect(!text.contains(word), "\(word)") }
        #expect(try SchemaCommand.Print.text(.builtIn(), as: format).contains("wbs_path"))
    }

    @Test(arguments: SchemaCommand.Format.allCases)
    func allProjectsIsForFormatsWithTables(format: SchemaCommand.Format) throws {
        let arguments = ["--format", format.rawValue, "--all-projects"]
        guard [.jsonschema, .openapi].contains(format) else {
            let command = try #require(try SchemaCommand.parseAsRoot(arguments) as? SchemaCommand.Print)
            let text = try SchemaCommand.Print.text(.builtIn(), as: format, allProjects: command.allProjects)
            let tables =
                format == .sql
                ? /project_id TEXT NOT NULL/
                : format == .typescript
                    ? /readonly project_id: string/
                    : format == .swift
                        ? /public let projectID: String/ : /'project_id', type: 'string', isIndexed/
            #expect(try text.matches(of: tables).count == Registry.builtIn().collections.count)
            return
        }
        let error = #expect(throws: (any Error).self) { try SchemaCommand.parseAsRoot(arguments) }
        #expect(error.map { SchemaCommand.fullMessage(for: $0).contains("leave it out") } ?? false)
    }

    @Test func aPruneSaysWhatItDropped() async throws {
        let (folder, path) = (try folder(), try TemporaryFolder())
        let database = path.path("t.db")
        try SQLiteStore(path: database, registry: .builtIn(), opener: .server, mender: DraftMender()).close()
        let registry = try Registry(folder: folder.url)
        try SQLiteStore(path: database, registry: registry, opener: .server, mender: DraftMender()).close()
        let command = try #require(
            SchemaCommand.parseAsRoot(["prune", "--database", database, "--schemas", folder.url.path()])
                as? SchemaCommand.Prune)
        let report = try await command.database.with(SchemaCommand.Prune.self) {
            try await $0.store.requireFile("prune", instead: "").prune()
        }
        #expect(report.text == "Dropped the field tasks.wbs_path, the collection task_links; 0 rows.")
        #expect(report.json["fields"] == ["tasks.wbs_path"])
        try await command.run()
    }
}
