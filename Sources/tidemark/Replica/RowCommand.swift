import ArgumentParser
import SyncClientCore
import SyncProtocol

struct RowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "row", abstract: "List and edit the rows of a replica, without a server.",
        discussion: """
            A row belongs to a collection, such as tasks, risks or time_entries. Edits stay in the replica until \
            `tidemark push` or `tidemark sync` sends them. You can also edit while `tidemark sync --watch` is running. \
            `tidemark task` is a short form for tasks.
            Example: tidemark row add risks --replica plan.replica title="Paint is late" probability=3 impact=2
            """,
        subcommands: [RowListCommand.self, RowAddCommand.self, RowSetCommand.self, RowRemoveCommand.self])
}

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

struct RowAddCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a row and print its id.",
        discussion: """
            Fields that you leave out get the schema's defaults. Write values as for `tidemark row set`. In a replica \
            of all projects, --project says where the row belongs; only a new project needs none.
            Example: tidemark row add dependencies --replica plan.replica predecessor=t-1 successor=t-2 lag=-2
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The collection.") var collection: String
    @Option(help: "The row's id. (default: a random UUID)") var id: String?
    @Option(help: "The id of the row's project, in a replica of all projects.") var project: String?
    @Argument(help: "The fields, as name=value: see `tidemark help row set`.") var fields: [FieldAssignment] = []

    func run() throws { try Terminal.result(option.with { try $0.add(fields, to: collection, id: id, in: project) }) }
}

struct RowSetCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change fields of a row.",
        discussion: """
            Write values as in JSON, but texts without quotes. An empty value is null where the field accepts null, \
            and otherwise an empty text.
            Example: tidemark row set risks r-17 --replica plan.replica impact=4 task_ids='["t-1","t-2"]'
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The row's id.") var id: String
    @Argument(help: "The fields to change, as name=value.") var fields: [FieldAssignment]

    func run() throws { try option.with { try $0.set(fields, of: id, in: collection) } }
}

struct RowRemoveCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a row.",
        discussion: """
            Rows that depend on it, such as the links of a task, are deleted at the next sync.
            Example: tidemark row rm risks r-17 --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The row's id.") var id: String

    func run() throws { try option.with { try $0.remove(id, from: collection) } }
}

/// The lines of `tidemark row list`, and their order.
struct RowLines {
    /// The fields that are printed.
    let fields: [String]
    /// The fields that the rows are sorted by.
    private let keys: [String]

    /// `schema` says which fields are dates.
    init(of collection: CollectionSchema, in schema: ServerSchema?) {
        let writable = collection.columns.filter { !$0.isReadOnly && $0.name != Replica.projectField }.map(\.name)
        let fields = collection.required.isEmpty ? writable : collection.required
        let hasProject = schema?.isForAllProjects ?? false && collection.name != "projects"
        let project = hasProject ? [Replica.projectField] : []
        let document = schema?.json["collections"]?.array?.first { $0["title"]?.string == collection.name }
        let isDate = { (field: String) in document?["properties"]?[field]?["format"] == "date" }
        self.fields = project + fields
        keys = project + fields.filter(isDate) + fields.filter { !isDate($0) }
    }

    func sorted(_ rows: [JSON]) -> [JSON] { rows.sorted { comesBefore($0, $1) } }

    /// The row's columns, separated by tabs.
    func line(_ row: JSON) -> String {
        let mark = row["_status"] == "synced" ? " " : "*"
        return ([mark, row["id"]?.string ?? ""] + fields.map { cell(row[$0] ?? .null) }).joined(separator: "\t")
    }

    private func comesBefore(_ left: JSON, _ right: JSON) -> Bool {
        for key in keys + ["id"] {
            let left = left[key] ?? .null
            let right = right[key] ?? .null
            if left != right { return comesBefore(value: left, right) }
        }
        return false
    }

    /// Numbers come first, then texts, then everything else.
    private func comesBefore(value left: JSON, _ right: JSON) -> Bool {
        if let left = left.number, let right = right.number { return left < right }
        if let left = left.string, let right = right.string {
            return left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
        }
        return rank(left) == rank(right) ? left.text < right.text : rank(left) < rank(right)
    }

    private func rank(_ value: JSON) -> Int { value.number != nil ? 0 : value.string != nil ? 1 : 2 }

    private func cell(_ value: JSON) -> String {
        switch value {
        case .null: ""
        case .string(let text): text.quoted
        default: value.plainText
        }
    }
}

/// The replica that a command works on.
struct ReplicaOption: ParsableArguments {
    @Option(help: ArgumentHelp("The file of a replica that was pulled before.", valueName: "file")) var replica: String

    /// Runs `body` on the replica. Errors of the replica are shown as they are, and those of an edit with advice.
    func with<Result>(_ body: (Replica) throws -> Result) throws -> Result {
        do {
            let replica = try Replica(existing: self.replica)
            do {
                return try body(replica)
            } catch let error as EditError {
                throw CommandError(error.advice(try replica.schema(), in: self.replica))
            }
        } catch let error as ReplicaError {
            throw CommandError("\(error)")
        } catch let error as FileError {
            throw CommandError("\(error)")
        }
    }
}
