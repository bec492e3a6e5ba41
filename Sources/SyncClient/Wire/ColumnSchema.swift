public import SyncProtocol

/// One field of a collection. The collection's table has one column for it.
public struct ColumnSchema: Sendable, Equatable {
    /// Which JSON values a column takes, and how SQLite stores them.
    public enum Kind: Sendable, Equatable {
        /// A JSON string, stored as TEXT.
        case text
        /// A whole number that fits 64 bits, stored as INTEGER.
        case integer
        /// Any number, stored as REAL.
        case real
        /// Stored as 0 or 1.
        case boolean
        /// An array or object, stored as JSON text.
        case document
        /// More than one of these types. Reading a value gives back whatever type SQLite stored.
        case any
    }

    /// The name on the wire, and of the column.
    public let name: String
    /// The type. A column may hold null as well, whatever its type, until the server has sent a value.
    public let kind: Kind
    /// The value that a row gets when the field is not given.
    public let defaultValue: JSON
    /// Whether only the server writes it.
    public let isReadOnly: Bool
    /// Whether the server accepts null.
    public let isNullable: Bool
    /// The collection whose ids the values are; nil when the field is not a reference.
    public let reference: String?
    /// What the server does when a row that the field refers to is deleted; nil when the field is not a reference.
    let onDelete: OnDelete?

    /// What happens to a row when one that it refers to is deleted.
    enum OnDelete: String, Sendable {
        /// The row is deleted along with it.
        case cascade
        /// The field loses the reference.
        case clear
        /// The deletion is refused.
        case restrict
    }
}

extension ColumnSchema.Kind {
    /// Whether a column of this type can hold `value` without loss.
    func accepts(_ value: JSON) -> Bool {
        switch (self, value) {
        case (_, .null), (.any, _), (.text, .string), (.integer, .int), (.real, .int), (.real, .double): true
        case (.boolean, .bool), (.document, .array), (.document, .object): true
        default: false
        }
    }
}
