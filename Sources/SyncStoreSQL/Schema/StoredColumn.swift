package import SyncProtocol
import SyncSchema

/// A column of a table, as the database has it.
package struct StoredColumn: Sendable {
    package let name: String
    package let type: String
    package let isNullable: Bool
    /// The SQL of its default.
    package let fallback: String?

    package init(name: String, type: String, isNullable: Bool, fallback: String?) {
        (self.name, self.type, self.isNullable, self.fallback) = (name, type, isNullable, fallback)
    }
}

extension TableLayout {
    /// The columns that belong to no field of the schema.
    package func keptColumns(_ columns: [StoredColumn]) -> [StoredColumn] {
        let own = SystemColumn.allCases.map(\.name) + laterColumns.map(\.name) + collection.fields.map(\.name)
        let known = Set(own)
        return columns.filter { !known.contains($0.name) }
    }

    /// The default that new rows get in a column that belongs to no field: that of the removed field.
    package func fallback(of column: StoredColumn) -> String? {
        guard let field = collection.removedFields.first(where: { $0.name == column.name }) else {
            return column.fallback
        }
        return field.fallback.isNull ? nil : SQLLiteral.text(storing: field.fallback)
    }

    /// The tables that the columns refer to, by column.
    package var references: [String: String] {
        var references = ["project_id": "tidemark_projects"]
        for field in collection.fields {
            if let reference = field.reference, !reference.isList { references[field.name] = reference.collection }
        }
        return references
    }
}

extension SQLLiteral {
    /// A literal of the value as its column stores it: lists and objects as text.
    package static func text(storing value: JSON) -> String {
        switch value {
        case .array, .object: text(.string(value.text))
        default: text(value)
        }
    }
}
