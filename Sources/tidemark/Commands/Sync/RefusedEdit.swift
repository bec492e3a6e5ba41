import SyncClient
import SyncProtocol

/// One reason why the server refused an edit. An edit of a row may have several.
struct RefusedEdit: Equatable {
    /// Where the edit is now.
    enum Place: String {
        /// In its row, which the server does not have. The next sync sends it again.
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
        return "Not taken, \(place): \(row)\(field): \(reason.detail) (\(reason.code))"
    }

    private var row: String { "\(reason.collection) \(reason.id)" + (name.map { " “\($0)”" } ?? "") }

    /// Separated by tabs. The field is empty if the reason is about the whole row.
    var line: String {
        [place.rawValue, reason.collection, reason.id, reason.field ?? "", reason.code, reason.detail]
            .joined(separator: "\t")
    }

    var json: JSON {
        [
            "place": .string(place.rawValue), "collection": .string(reason.collection), "id": .string(reason.id),
            "field": reason.field.map(JSON.string) ?? .null, "code": .string(reason.code),
            "detail": .string(reason.detail),
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
        self.init(place: .unsent, reason: reason, name: row?["name"]?.string)
    }

    static func of(_ row: SetAsideRow) -> [RefusedEdit] {
        row.refusals.map { RefusedEdit(place: .aside, reason: $0, name: row.row["name"]?.string) }
    }

    /// All refused edits of a replica.
    static func all(in replica: Replica) throws -> [RefusedEdit] {
        try replica.refused().map { RefusedEdit($0, in: replica) } + replica.setAside().flatMap(of)
    }
}
