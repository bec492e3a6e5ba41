import SyncClient
import SyncProtocol

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
            let (left, right) = (left[key] ?? .null, right[key] ?? .null)
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
