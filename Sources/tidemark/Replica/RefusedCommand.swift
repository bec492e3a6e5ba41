import ArgumentParser
import SyncClientCore
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

/// One reason why the server refused an edit. An edit of a row may have several.
struct RefusedEdit: Equatable {
    /// Where the edit is now.
    enum Place: String {
        /// In its row: the server does not have the row, or takes no edits of its collection. The next sync sends it
        /// again.
        case unsent
        /// Next to its row, which is as on the server. It is not sent again.
        case aside
    }

    let place: Place
    let reason: RefusedRow
    /// The name of the row, if it has one.
    let name: String?

    /// For a terminal.
    var sentence: String {
        let field = reason.field.map { ", \($0)" } ?? ""
        let place = place == .unsent ? "kept unsent" : "set aside"
        let existing = reason.existing.map { " Edit the row `\($0)` instead." } ?? ""
        return "Not taken, \(place): \(row)\(field): \(reason.detail)\(existing) (\(reason.code))".plain
    }

    private var row: String { "\(reason.collection) \(reason.id)" + (name.map { " “\(Self.short($0))”" } ?? "") }

    /// In one line, and without anything that a terminal would act on.
    static func short(_ name: String) -> String {
        String(name.unicodeScalars.prefix(80)).plain + (name.unicodeScalars.count > 80 ? "…" : "")
    }

    /// Separated by tabs. The field is empty if the reason is about the whole row. The last column
    /// is empty unless another row has the unique key.
    var line: String {
        [
            place.rawValue, reason.collection, reason.id, reason.field ?? "", reason.code, reason.detail,
            reason.existing ?? "",
        ].map(\.quoted).joined(separator: "\t")
    }

    var json: JSON {
        [
            "place": .string(place.rawValue), "collection": .string(reason.collection), "id": .string(reason.id),
            "field": reason.field.map(JSON.string) ?? .null, "code": .string(reason.code),
            "detail": .string(reason.detail), "existing": reason.existing.map(JSON.string) ?? .null,
        ]
    }

    static func advice(_ replica: String) -> String {
        "List them with: tidemark refused --replica \(replica). "
            + "Drop one with: tidemark refused drop ID --replica \(replica)"
    }
}

extension RefusedEdit {
    init(_ reason: RefusedRow, in replica: Replica) {
        let row = try? replica.row(of: reason.collection, id: reason.id)
        self.init(place: .unsent, reason: reason, name: row?.name(in: reason.collection, of: replica))
    }

    static func of(_ row: SetAsideRow, in replica: Replica) -> [RefusedEdit] {
        let name = row.row.name(in: row.collection, of: replica)
        return row.refusals.map { RefusedEdit(place: .aside, reason: $0, name: name) }
    }

    /// All refused edits of a replica.
    static func all(in replica: Replica) throws -> [RefusedEdit] {
        try replica.refused().map { RefusedEdit($0, in: replica) } + replica.setAside().flatMap { of($0, in: replica) }
    }
}

extension JSON {
    /// What a person knows the row by: its name, or else the first text that its collection requires.
    fileprivate func name(in collection: String, of replica: Replica) -> String? {
        if let name = self["name"]?.string { return name }
        guard let schema = try? replica.schema()?[collection] else { return nil }
        let field = schema.required.first { schema[$0]?.kind == .text && schema[$0]?.reference == nil }
        return field.flatMap { self[$0]?.string }
    }
}
