import ArgumentParser
import Foundation
import MSPDI
import SyncEngine
import SyncServer

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print a project as JSON or as a Microsoft Project plan.",
        discussion: """
            Of one committed state, also while a server runs. JSON, which tidemark import takes, holds everybody's \
            live rows, with user names in place of ids. A plan (MSPDI XML) holds what the format can say; the rest is \
            listed on stderr.
            Example: tidemark export demo-project --database plans.db > plan.json
            Example: tidemark export demo-project --format mspdi --database plans.db > plan.xml
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, mspdi
    }

    @Argument(help: "The project's id.") var project: String
    @Option(help: "What to print.") var format = Format.json
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        try await database.with { wiring in
            switch format {
            case .json:
                let export = wiring.services.exports
                try await export.write(project, to: ExportCommand.print)
            case .mspdi:
                let plan = try await PlanExport(wiring: wiring).run(project)
                try ExportCommand.print(plan.text)
                if !plan.notExported.isEmpty { Terminal.message("Not exported:") }
                for line in plan.notExported { Terminal.message("  " + line) }
            }
        }
    }

    private static let print: @Sendable (String) throws -> Void = {
        try FileHandle.standardOutput.write(contentsOf: Data($0.utf8))
    }
}
