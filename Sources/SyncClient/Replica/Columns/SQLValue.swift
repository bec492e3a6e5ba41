import GRDB
import SyncProtocol

/// Converts between JSON values and what SQLite stores.
enum SQLValue {
    /// Stores booleans as 0 and 1, arrays and objects as JSON text.
    static func encode(_ value: JSON) -> DatabaseValue {
        switch value {
        case .null: .null
        case .bool(let bool): (bool ? 1 : 0).databaseValue
        case .int(let int): int.databaseValue
        case .double(let double): double.databaseValue
        case .string(let string): string.databaseValue
        case .array, .object: value.text.databaseValue
        }
    }

    /// The reverse of `encode`. `kind` says what a number or a text stands for. Without it,
    /// texts and numbers stay what they are.
    static func decode(_ value: DatabaseValue, as kind: ColumnSchema.Kind?) throws -> JSON {
        switch (value.storage, kind) {
        case (.null, _), (.blob, _): .null
        case (.int64(let int), .boolean): .bool(int != 0)
        case (.int64(let int), _): .int(int)
        case (.double(let double), _): JSON(double)
        case (.string(let text), .document): try JSON(parsing: text)
        case (.string(let text), _): .string(text)
        }
    }
}
