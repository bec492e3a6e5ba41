import ArgumentParser
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a project of a Microsoft Project plan (MSPDI XML) or of a Tidemark export.",
        discussion: """
            The whole project is stored as one commit, or nothing. What can't be held is listed.
            Example: tidemark import plan.xml --owner alice --add-members --database plans.db
            """)

    @Argument(help: "The plan, saved as XML in Microsoft Project, or what tidemark export printed.") var file: String
    @Option(help: "The user who owns the new project.") var owner: String
    @Option(help: "The project's name instead of the plan's.") var name: String?
    @Option(name: .customLong("project"), help: "The id of the project that a plan becomes. (default: a random one)")
    var id: String?
    @Flag(help: "Make users named like a resource, or the members of an export, members, so that assignments hold.")
    var addMembers = false
    @Flag(help: "Give the rows of an export new ids, as where the project is here already.") var newIds = false
    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func validate() throws {
        if let id, !RowID.isValid(id) { throw ValidationError("\(id) can't be an id.") }
    }

    func run() async throws {
        let outcome = try await database.with { wiring in
            try await self.outcome(wiring, try await wiring.services.accounts.user(named: owner))
        }
        if json { return print(outcome.json.text) }
        print(outcome.project)
        let counts = outcome.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        Terminal.message("Imported \(counts.joined(separator: ", ")).")
        if !outcome.notImported.isEmpty { Terminal.message("Not imported:") }
        for line in outcome.notImported { Terminal.message("  " + line) }
    }

    private func outcome(_ wiring: Wiring, _ owner: User) async throws -> PlanImport.Outcome {
        guard let export = try ExportImport.text(of: file) else {
            let importing = PlanImport(wiring: wiring, owner: owner, addsMembers: addMembers)
            return try await importing.run(file, name: name, id: id)
        }
        guard id == nil else {
            throw CommandError(
                "\(file) is an export, whose rows keep their ids. Leave --project out; --new-ids gives them others.")
        }
        let importing = ExportImport(wiring: wiring, owner: owner, addsMembers: addMembers, rekeys: newIds)
        return try await importing.run(export, name: name)
    }
}
