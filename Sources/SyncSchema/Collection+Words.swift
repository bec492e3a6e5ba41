import SyncProtocol
import SyncValues

// What a schema becomes in other languages, as far as they have it in common.

extension Collection {
    /// The name of the type of its rows: `task_links` has the rows `TaskLinksRow`.
    var rowType: String {
        name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Row"
    }

    /// The documentation of a field: what its type does not say.
    func documentation(of field: Field) -> String {
        let description = document["properties"]?[field.name]?["description"]?.string
        let target = field.reference.map { "\($0.isList ? "Ids of rows" : "The id of a row") of `\($0.collection)`." }
        let user = field.user.map { _ in field.holdsUsers ? "Ids of users." : "The id of a user." }
        return [description, target, user, field.value.format?.form].compactMap { $0 }.joined(separator: " ")
    }
}

extension ValueSchema.Format {
    /// The form of the text.
    fileprivate var form: String {
        switch self {
        case .date: "YYYY-MM-DD."
        case .dateTime: "YYYY-MM-DDTHH:MM:SS.mmmZ."
        case .time: "HH:MM:SS."
        case .timezone: "A time zone of the IANA database."
        case .blob: "64 hex digits."
        case .byte: "Base64."
        }
    }
}

extension String {
    /// The text on one line, for a comment that ends with its line.
    var onOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
