import ArgumentParser
import SyncClient
import SyncProtocol

struct RefusedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refused", abstract: "List the edits that the server refused, or drop them.",
        discussion: """
            A refused edit is kept until you drop it. A new row stays in the replica, unsent: correct it with \
            `tidemark row set`, and the next sync sends it again. So does an edit in a collection that the server \
            takes no edits of any more. Any other edit is set aside, and its row is as on the server.
            Example: tidemark refused --replica plan.replica
            """,
        subcommands: [RefusedListCommand.self, RefusedDropCommand.self], defaultSubcommand: RefusedListCommand.self)
}

struct RefusedListCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the refused edits, with the reasons.",
        discussion: """
            One line for each reason, separated by tabs: `unsent` or `aside`, collection, row, field, code, message, \
            and with not_unique the row that has the key.
            Example: tidemark refused list --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Flag(help: "Print a JSON array.") var json = false

    func run() throws {
        let edits = try option.with { try RefusedEdit.all(in: $0) }
        try json ? Terminal.result(json: JSON.array(edits.map(\.json))) : Terminal.result(edits.map(\.line))
    }
}

extension Replica {
    /// Drops the refused edits of these rows, given by collection and id. Returns the number of rows.
    func drop(where isNamed: (String, String) -> Bool) throws -> Int {
        let held = try refused().filter { isNamed($0.collection, $0.id) }
        let aside = try setAside().filter { isNamed($0.collection, $0.id) }
        for row in held { try giveUp(row) }
        for row in aside { try dismiss(row) }
        return Set(held.map { [$0.collection, $0.id] } + aside.map { [$0.collection, $0.id] }).count
    }
}
