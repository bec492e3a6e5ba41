import ArgumentParser
import Foundation
import SyncEngine

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print a project as JSON, which tidemark import takes.",
        discussion: """
            Holds everybody's live rows, with user names in place of ids, from one committed state; also while a server runs.
            Example: tidemark export demo-project --database plans.db > plan.json
            """)

    @Argument(help: "The project's id.") var project: String
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        try await database.with { wiring in
            let export = ProjectExport(store: wiring.store, registry: wiring.registry)
            try await export.write(project) { try FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) }
        }
    }
}
