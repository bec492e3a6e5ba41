import ArgumentParser
import SyncClient
import SyncProtocol

struct RefusedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refused", abstract: "List the edits that the server refused, or drop them.",
        discussion: """
            A refused edit is kept until you drop it. A new row stays in the replica, unsent: correct it with \
            `tidemark task set`, and the next sync sends it again. Any other edit is set aside, and its row is as on \
            the server.
            Example: tidemark refused --replica plan.replica
            """,
        subcommands: [RefusedListCommand.self, RefusedDropCommand.self], defaultSubcommand: RefusedListCommand.self)
}

struct RefusedListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the refused edits, with the reasons.",
        discussion: """
            One line for each reason, separated by tabs: `unsent` or `aside`, collection, row, field, code, message.
            Example: tidemark refused list --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Flag(help: "Print a JSON array.") var json = false

    func run() throws {
        let edits = try option.with { try RefusedEdit.all(in: $0) }
        if json { return print(JSON.array(edits.map(\.json)).text) }
        for edit in edits { print(edit.line) }
    }
}

extension Replica {
    /// Drops the refused edits of the rows with these ids. Returns the number of rows.
    func drop(where isNamed: (String) -> Bool) throws -> Int {
        let (held, aside) = (try refused().filter { isNamed($0.id) }, try setAside().filter { isNamed($0.id) })
        for row in held { try giveUp(row) }
        for row in aside { try dismiss(row) }
        return Set(held.map { [$0.collection, $0.id] } + aside.map { [$0.collection, $0.id] }).count
    }
}
