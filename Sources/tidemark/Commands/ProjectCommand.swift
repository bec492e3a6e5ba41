import ArgumentParser
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStoreSQL

struct ProjectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project", abstract: "List projects.", subcommands: [List.self])

    struct List: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.reads
        static let configuration = CommandConfiguration(
            abstract: "List the projects, with their numbers of members and live rows.",
            discussion: "Example: tidemark project list --database plans.db")

        @Flag(help: "Print the projects as JSON.") var json = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let projects = try await database.with(Self.self) { try await $0.services.projects.summaries() }
            try PrintedList(columns: ["id", "name", "state", "members", "rows"], rows: projects.map(\.line)).show(
                asJSON: json)
        }
    }
}

extension ProjectSummary {
    fileprivate var line: JSON {
        [
            "id": .string(id), "name": .string(name), "state": .string(isArchived ? "archived" : "active"),
            "members": .int(Int64(members)), "rows": .int(Int64(rows)),
        ]
    }
}
