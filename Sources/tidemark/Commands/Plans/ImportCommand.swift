import ArgumentParser
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore

struct ImportCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.writes
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Create a project from a Microsoft Project plan (MSPDI XML) or from a Tidemark export.",
        discussion: """
            The whole project is stored in one commit, or nothing is. What can't be imported is listed.
            Example: tidemark import plan.xml --owner alice --add-members --database plans.db
            """)

    @Argument(help: "A plan that Microsoft Project saved as XML, or the output of `tidemark export`.") var file: String
    @Option(help: "The name of the user who will own the new project.") var owner: String
    @Option(help: "The new project's name. (default: the plan's)") var name: String?
    @Option(name: .customLong("project"), help: "The new project's id; only for a plan. (default: a random one)")
    var id: String?
    @Flag(
        help: ArgumentHelp(
            "Add members: users who are named like a resource of a plan, or the members of an export.",
            discussion: "Without it, only the owner is a member, and assignments to other users are left out."))
    var addMembers = false
    @Flag(help: "Give the rows of an export new ids, for example if the project is here already.") var newIds = false
    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func validate() throws {
        if let id, !RowID.isValid(id) { throw ValidationError("\(id) is not a valid id.") }
    }

    func run() async throws {
        let outcome = try await database.with(Self.self) { wiring in
            try await self.outcome(wiring, try await wiring.services.accounts.user(named: owner))
        }
        if json { return try Terminal.result(json: outcome.json) }
        try Terminal.result(outcome.project)
        let counts = outcome.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        Terminal.message("Imported \(counts.joined(separator: ", ")).")
        if !outcome.notImported.isEmpty { Terminal.message("Not imported:") }
        for line in outcome.notImported { Terminal.message("  " + line.plain) }
    }

    private func outcome(_ wiring: Wiring, _ owner: User) async throws -> PlanImport.Outcome {
        guard let export = try ExportImport.text(of: file) else {
            let importing = PlanImport(wiring: wiring, owner: owner, addsMembers: addMembers)
            return try await importing.run(file, name: name, id: id)
        }
        guard id == nil else {
            throw CommandError(
                "\(file) is an export, and its rows keep their ids. Leave out --project; --new-ids gives them new ids.")
        }
        let importing = ExportImport(wiring: wiring, owner: owner, addsMembers: addMembers, rekeys: newIds)
        return try await importing.run(export, name: name)
    }
}
