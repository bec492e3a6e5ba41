import ArgumentParser
import SyncClient
import SyncProtocol

struct TaskListCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tasks of a replica.",
        discussion: """
            One line for each task, by WBS path, then name. Its columns, separated by tabs: * if the task has unsent \
            edits, id, status, percent complete, name. In a replica of all projects the project follows the id, and \
            comes first in the order. A name with a tab, a line break or another control character is a JSON string.
            Example: tidemark task list --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Option(help: "Only the tasks of the project with this id.") var project: String?
    @Flag(help: "Print whole rows as a JSON array.") var json = false

    func run() throws {
        let tasks = try option.with { try $0.liveRows(of: Replica.tasks, in: project) }
            .sorted { $0.place.lexicographicallyPrecedes($1.place) }
        try json ? Terminal.result(json: JSON.array(tasks)) : Terminal.result(tasks.map(\.line))
    }
}

extension JSON {
    /// The key to sort by: the project, if it has one, the numbers of the WBS path, then name and id. Tasks without a
    /// path come last.
    fileprivate var place: [String] {
        let path = self["wbs_path"]?.string ?? ""
        let steps = path.utf8.split(separator: UInt8(ascii: "."))
            .map { String(repeating: "0", count: max(0, 8 - $0.count)) + String(Substring($0)) }
        return [text(Replica.projectField)] + (steps.isEmpty ? ["~"] : steps) + [text("name"), text("id")]
    }

    fileprivate var line: String {
        let mark = self["_status"] == "synced" ? " " : "*"
        let percent = self["percent_complete"]?.number.map { "\(Int($0)) %" } ?? ""
        let project = self[Replica.projectField].map { [$0.string ?? ""] } ?? []
        let cells = [mark, text("id")] + project + [text("status"), percent, text("name")]
        return cells.map(\.quoted).joined(separator: "\t")
    }

    private func text(_ field: String) -> String { self[field]?.string ?? "" }
}
