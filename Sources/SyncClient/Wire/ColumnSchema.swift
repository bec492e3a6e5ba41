public import SyncProtocol

/// One field of a collection, and so one column.
public struct ColumnSchema: Sendable, Equatable {
    /// What a value may be, and how SQLite stores it.
    public enum Kind: Sendable, Equatable {
        /// A JSON string, stored as TEXT.
        case text
        /// A whole number.
        case integer
        /// Any number.
        case real
        /// Stored as 0 or 1.
        case boolean
        /// An array or object, stored as JSON text.
        case document
        /// More than one of these, told apart by what is stored.
        case any
    }

    /// Both the wire's and the column's name.
    public let name: String
    /// Every column may hold null as well, before the server has filled it.
    public let kind: Kind
    /// What a row gets that doesn't name the field.
    public let defaultValue: JSON
    /// Whether the server alone writes it.
    public let isReadOnly: Bool
    /// Whether the server takes null.
    public let isNullable: Bool
    /// The collection that its values are ids of.
    public let reference: String?
}

extension ColumnSchema.Kind {
    /// Whether such a column can hold `value` without loss.
    func accepts(_ value: JSON) -> Bool {
        switch (self, value) {
        case (_, .null), (.any, _), (.text, .string), (.integer, .int), (.real, .int), (.real, .double): true
        case (.boolean, .bool), (.document, .array), (.document, .object): true
        default: false
        }
    }
}
