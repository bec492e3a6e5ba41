import ArgumentParser
import SyncClient
import SyncProtocol

struct RefusedDropCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Permanently drop refused edits, and print the number of their rows.",
        discussion: """
            A new row that was refused is removed from the replica. An edit that is kept in its row is taken back. Of \
            an edit that was set aside, the copy is removed. Rows of two collections may have the same id: \
            COLLECTION/ID names one of them.
            Example: tidemark refused drop t-17 --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The rows, as ID or COLLECTION/ID.") var id: [String] = []
    @Flag(help: "Drop all refused edits.") var all = false

    func validate() throws {
        guard all != !id.isEmpty else { throw ValidationError("Give ids of rows, or --all.") }
    }

    func run() throws {
        let count = try option.with { replica in
            let refused = Set(try RefusedEdit.all(in: replica).flatMap { names($0.reason.collection, $0.reason.id) })
            if let unknown = id.first(where: { !refused.contains($0) }) {
                throw CommandError(
                    "No edit of the row `\(unknown)` was refused. `tidemark refused` lists those that were.")
            }
            return try replica.drop { all || !names($0, $1).isDisjoint(with: id) }
        }
        try Terminal.result("\(count)")
    }

    /// How a row can be named.
    private func names(_ collection: String, _ id: String) -> Set<String> { [id, "\(collection)/\(id)"] }
}
