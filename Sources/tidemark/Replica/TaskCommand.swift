import ArgumentParser
import Foundation
import SyncClientCore
import SyncProtocol

struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "List and edit the tasks of a replica, without a server.",
        discussion: """
            Edits stay in the replica until `tidemark push` or `tidemark sync` sends them. You can also edit while \
            `tidemark sync --watch` is running. `tidemark row` does the same for every collection.
            Example: tidemark task add --replica plan.replica --name "Order paint"
            """,
        subcommands: [
            TaskListCommand.self, TaskAddCommand.self, TaskSetCommand.self, TaskDoneCommand.self,
            TaskRemoveCommand.self,
        ])
}

struct TaskListCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tasks of a replica.",
        discussion: """
            One line for each task, in the order of the plan: each below its parent, then by rank, WBS path and short \
            id. Its columns, separated by tabs: * if the task has unsent edits, id, status, percent complete, name. In \
            a replica of all projects the project follows the id, and comes first in the order. A name \
            with a tab, a line break or another control character is a JSON string.
            Example: tidemark task list --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Option(help: "Only the tasks of the project with this id.") var project: String?
    @Flag(help: "Print whole rows as a JSON array.") var json = false

    func run() throws {
        let tasks = PlanOrder(try option.with { try $0.liveRows(of: Replica.tasks, in: project) }).tasks
        try json ? Terminal.result(json: JSON.array(tasks)) : Terminal.result(tasks.map(\.line))
    }
}

/// Tasks in the order of the plan: project by project, each below its parent.
private struct PlanOrder {
    private(set) var tasks: [JSON] = []
    private var below: [String: [[String: JSON]]] = [:]
    private var isDone: Set<String> = []

    init(_ rows: [JSON]) {
        let rows = rows.compactMap(\.object)
        let ids = Set(rows.map(Self.id))
        let roots = Dictionary(grouping: rows.filter { !ids.contains(Self.parent($0)) }) {
            $0[Replica.projectField]?.string ?? ""
        }
        below = Dictionary(grouping: rows, by: Self.parent).mapValues(OrderKey.sorted)
        for (_, siblings) in roots.sorted(by: { $0.key < $1.key }) { add(OrderKey.sorted(siblings)) }
        // Before the server has refused one of two moves, each task of a ring is below the other.
        for row in rows.sorted(by: { Self.id($0) < Self.id($1) }) { add([row]) }
    }

    /// Adds rows, each with what is below it. Uses a list instead of recursion, so a tree may have any depth.
    private mutating func add(_ siblings: [[String: JSON]]) {
        var open: [[String: JSON]] = siblings.reversed()
        while let row = open.popLast() {
            guard isDone.insert(Self.id(row)).inserted else { continue }
            tasks.append(.object(row))
            open += (below[Self.id(row)] ?? []).reversed()
        }
    }

    private static func id(_ row: [String: JSON]) -> String { row["id"]?.string ?? "" }
    private static func parent(_ row: [String: JSON]) -> String { row["parent"]?.string ?? "" }
}

extension JSON {
    fileprivate var line: String {
        let mark = self["_status"] == "synced" ? " " : "*"
        let percent = self["percent_complete"]?.number.map { "\(Int($0)) %" } ?? ""
        let project = self[Replica.projectField].map { [$0.string ?? ""] } ?? []
        let cells = [mark, text("id")] + project + [text("status"), percent, text("name")]
        return cells.map(\.quoted).joined(separator: "\t")
    }

    private func text(_ field: String) -> String { self[field]?.string ?? "" }
}

struct TaskAddCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a task and print its id.",
        discussion: "Example: tidemark task add --replica plan.replica --name \"Order paint\" duration=2 parent=t-17")

    @OptionGroup var option: ReplicaOption
    @Option(help: "The task's name.") var name: String
    @Option(help: "The task's id. (default: a random UUID)") var id: String?
    @Option(help: "The id of the task's project, in a replica of all projects.") var project: String?
    @Argument(help: "Other fields, as name=value: see `tidemark help task set`.") var fields: [FieldAssignment] = []

    func run() throws {
        try Terminal.result(
            option.with {
                try $0.add(fields, ["name": .string(name)], to: Replica.tasks, id: id, in: project)
            })
    }
}

struct TaskSetCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change fields of a task.",
        discussion: """
            Write values as in JSON, but texts without quotes. An empty value is null.
            Example: tidemark task set t-17 --replica plan.replica percent_complete=50 notes="Two coats"
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String
    @Argument(help: "The fields to change, as name=value.") var fields: [FieldAssignment]

    func run() throws {
        try option.with { try $0.set(fields, of: id, in: Replica.tasks) }
    }
}

struct TaskDoneCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "done", abstract: "Mark a task as complete.",
        discussion: "Example: tidemark task done t-17 --replica plan.replica")

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String

    func run() throws {
        try option.with { try $0.update(id, in: Replica.tasks, with: ["status": "COMPLETE", "percent_complete": 100]) }
    }
}

struct TaskRemoveCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a task.",
        discussion: """
            Rows that depend on it, such as child tasks, are deleted at the next sync.
            Example: tidemark task rm t-17 --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The task's id.") var id: String

    func run() throws { try option.with { try $0.remove(id, from: Replica.tasks) } }
}
