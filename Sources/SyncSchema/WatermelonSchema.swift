/// One column of WatermelonDB's `tableSchema`.
struct WatermelonColumn {
    enum Kind: String {
        case string, number, boolean
    }

    let name: String
    let kind: Kind
    var isOptional = false
    var isIndexed = false

    /// Every row has it. In a row created offline it is 0 until the row is pushed.
    static let serverVersion = WatermelonColumn(name: "server_version", kind: .number)

    /// In a database of all projects every row has it.
    static let project = WatermelonColumn(name: "project_id", kind: .string, isIndexed: true)

    private init(name: String, kind: Kind, isIndexed: Bool = false) {
        self.name = name
        self.kind = kind
        self.isIndexed = isIndexed
    }

    /// Throws a `SchemaError` if WatermelonDB requires a number under this
    /// name. It accepts all other names that a field can have.
    init(_ field: Field, of collection: Collection) throws(SchemaError) {
        name = field.name
        kind = WatermelonColumn.kind(of: field)
        isOptional = field.value.isNullable
        isIndexed = field.reference.map { !$0.isList } ?? false
        let isStamp = ["created_at", "updated_at"].contains(name)
        guard isStamp && (kind != .number || isOptional) || name == "last_modified" && kind != .number else { return }
        throw SchemaError(
            file: collection.name, pointer: "/properties/\(name)",
            reason: "WatermelonDB requires a number here\(isStamp ? " that is never null" : ""): "
                + "make it a date-time, or rename it")
    }

    private static func kind(of field: Field) -> Kind {
        switch WireEncoding.watermelondb.form(of: field) {
        case .text: .string
        case .instant: .number
        case .flag: .boolean
        case .plain: field.value.kind == .string ? .string : .number
        }
    }

    var text: String {
        let members =
            ["name: '\(name)'", "type: '\(kind.rawValue)'"] + (isOptional ? ["isOptional: true"] : [])
            + (isIndexed ? ["isIndexed: true"] : [])
        return "{ \(members.joined(separator: ", ")) }"
    }
}

extension String {
    /// The text on one line, for a comment that ends with its line.
    var onOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
