import ArgumentParser
import SyncEngine
import SyncProtocol

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Make a project of a Microsoft Project plan (MSPDI XML).",
        discussion: """
            The whole plan is stored in one transaction, or nothing. What the collections can't hold is listed.
            Example: tidemark import plan.xml --owner alice --add-members --database plans.db
            """)

    @Argument(help: "The plan, saved as XML in Microsoft Project.") var file: String
    @Option(help: "The user who owns the new project.") var owner: String
    @Option(help: "The project's name instead of the plan's.") var name: String?
    @Flag(help: "Make users named like a resource members, so that their assignments hold.") var addMembers = false
    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let wiring = try await database.open()
        let owner = try await wiring.accounts.user(named: owner)
        let outcome = try await PlanImport(wiring: wiring, owner: owner, addsMembers: addMembers).run(file, name: name)
        if json { return print(outcome.json.text) }
        print(outcome.project)
        let counts = outcome.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        Terminal.message("Imported \(counts.joined(separator: ", ")).")
        if !outcome.notImported.isEmpty { Terminal.message("Not imported:") }
        for line in outcome.notImported { Terminal.message("  " + line) }
    }
}
