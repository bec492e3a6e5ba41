import SyncClient
import SyncProtocol

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
