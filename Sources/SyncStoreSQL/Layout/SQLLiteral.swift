package import SyncProtocol

/// Writes constants of a schema into SQL text. A bound value there would keep a partial index from being used.
package enum SQLLiteral {
    /// Lists and objects have no literal and become `NULL`.
    package static func text(_ value: JSON) -> String {
        switch value {
        case .null, .array, .object: "NULL"
        case .bool(let flag): flag ? "1" : "0"
        case .int(let number): String(number)
        case .double(let number): number.description
        case .string(let text): "'" + text.replacing("'", with: "''") + "'"
        }
    }
}
