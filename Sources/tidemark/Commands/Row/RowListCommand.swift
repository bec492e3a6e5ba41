import ArgumentParser
import SyncClient
import SyncProtocol

struct RowListCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rows of a collection.",
        discussion: """
            One line for each row. Its columns, separated by tabs: * if the row has unsent edits, id, and the fields \
            that a new row needs, in the schema's order. If it needs none, all fields that you can set. Lists and \
            objects are JSON, and so is a text with a tab, a line break or another control character. Sorted by the \
            dates among these fields, then by the other ones from left to right. In a replica of all projects the \
            project follows the id, and comes first in the order.
            Example: tidemark row list risks --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The collection.") var collection: String
    @Option(help: "Only the rows of the project with this id.") var project: String?
    @Flag(help: "Print whole rows as a JSON array.") var json = false

    func run() throws {
        let (rows, lines) = try option.with { replica in
            let lines = RowLines(of: try replica.known(collection), in: try replica.schema())
            return (lines.sorted(try replica.liveRows(of: collection, in: project)), lines)
        }
        try json ? Terminal.result(json: JSON.array(rows)) : Terminal.result(rows.map(lines.line))
    }
}
