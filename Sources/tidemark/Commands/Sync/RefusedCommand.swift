import ArgumentParser
import SyncClient
import SyncProtocol

struct RefusedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refused", abstract: "List the edits that the server did not take, and let them go.",
        discussion: """
            An edit that was not taken is kept until somebody lets it go: a new row in its place and unsent, where \
            `tidemark task set` mends it for the next sync; any other set aside, and its row is as on the server.
            Example: tidemark refused --replica plan.replica
            """,
        subcommands: [RefusedListCommand.self, RefusedDropCommand.self], defaultSubcommand: RefusedListCommand.self)
}

struct RefusedListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List them, with the reasons.",
        discussion: """
            A line a reason, separated by tabs: `unsent` or `aside`, collection, row, field, code, message.
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

struct RefusedDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Let edits go, for good; prints how many rows.",
        discussion: """
            A new row that was not taken is removed from the replica. Of one that was set aside, the copy is.
            Example: tidemark refused drop t-17 --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "Ids of rows.") var id: [String] = []
    @Flag(help: "All of them.") var all = false

    func validate() throws {
        guard all != !id.isEmpty else { throw ValidationError("Name rows, or give --all.") }
    }

    func run() throws {
        let count = try option.with { replica in
            let refused = Set(try RefusedEdit.all(in: replica).map(\.reason.id))
            if let unknown = id.first(where: { !refused.contains($0) }) {
                throw CommandError(
                    "No edit of a row `\(unknown)` was refused. `tidemark refused` lists those that were.")
            }
            return try replica.drop { all || id.contains($0) }
        }
        print(count)
    }
}

extension Replica {
    /// Lets go of the edits of rows; answers how many rows.
    fileprivate func drop(where isNamed: (String) -> Bool) throws -> Int {
        let (held, aside) = (try refused().filter { isNamed($0.id) }, try setAside().filter { isNamed($0.id) })
        for row in held { try giveUp(row) }
        for row in aside { try dismiss(row) }
        return Set(held.map { [$0.collection, $0.id] } + aside.map { [$0.collection, $0.id] }).count
    }
}
