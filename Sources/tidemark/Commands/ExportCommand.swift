import ArgumentParser
import MSPDI
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL

struct ExportCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.reads
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print a project as JSON or as a Microsoft Project plan.",
        discussion: """
            An export shows one committed state. A server may be running on the database. JSON holds all live rows, \
            with user names instead of user ids, and `tidemark import` reads it. A plan (MSPDI XML) holds what that \
            format can express; the rest is listed on stderr. The bytes of files are written with --files.
            Examples: tidemark export demo-project --database plans.db > plan.json
                      tidemark export demo-project --format mspdi --database plans.db > plan.xml
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, mspdi
    }

    @Argument(help: "The project's id.") var project: String
    @Option(help: "The format to print.") var format = Format.json
    @Option(
        help: ArgumentHelp(
            "A folder for the files that the rows of a JSON export name. Each is named by its digest; those that are "
                + "there stay.", valueName: "dir"))
    var files: String?
    @OptionGroup var store: StoreOption
    @OptionGroup var database: DatabaseOption

    func validate() throws {
        guard files == nil || format == .json else { throw ValidationError("--files is for JSON exports.") }
    }

    func run() async throws {
        try await database.with(Self.self, files: store.settings) { wiring in
            switch format {
            case .json:
                let export = wiring.services.exports
                try await export.write(project, to: { try Terminal.result(text: $0) })
                if let files { try await FileExport(wiring: wiring).run(project, to: files) }
            case .mspdi:
                let plan = try await PlanExport(wiring: wiring).run(project)
                try Terminal.result(text: plan.text)
                if !plan.notExported.isEmpty { Terminal.message("Not exported:") }
                for line in plan.notExported { Terminal.message("  " + line.plain) }
            }
        }
    }
}

/// Turns a project into a plan, from one committed state.
struct PlanExport {
    let wiring: Wiring

    /// Throws `Problem`.
    func run(_ project: String) async throws -> WrittenPlan {
        let users = try await wiring.services.accounts.planUsers()
        let content = try await wiring.services.exports
            .rows(of: project, in: PlanWriter.collections)
        return PlanWriter(rows: content.rows, others: content.others, users: users).write()
    }
}

extension AccountService {
    /// The users that the resources of a plan can stand for: those that are not disabled.
    func planUsers() async throws -> [PlanUser] {
        try await users().filter { !$0.isDisabled }
            .map { PlanUser(id: $0.id, username: $0.username.rawValue, displayName: $0.displayName) }
    }
}
