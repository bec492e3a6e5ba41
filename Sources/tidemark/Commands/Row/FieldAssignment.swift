import ArgumentParser
import SyncClient
import SyncProtocol

/// `field=value` on the command line of `tidemark row` and `tidemark task`. The `=` is found by bytes, because the
/// value may begin with a combining mark: Swift takes `=` and such a mark for one character.
struct FieldAssignment: ExpressibleByArgument {
    let field: String
    let text: String

    init?(argument: String) {
        let bytes = argument.utf8
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), sign != bytes.startIndex else { return nil }
        field = String(argument[..<sign])
        text = String(argument[bytes.index(after: sign)...])
    }
}

extension [FieldAssignment] {
    /// The values, in the types of the collection's columns. Throws an `EditError`.
    func values(in collection: CollectionSchema) throws -> [String: JSON] {
        let pairs = try map { assignment in
            guard let column = collection[assignment.field] else {
                throw EditError.unknownField(assignment.field, collection: collection.name)
            }
            guard let value = column.value(of: assignment.text) else {
                throw EditError.wrongType(assignment.field, collection: collection.name)
            }
            return (assignment.field, value)
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }
}

extension ColumnSchema {
    /// Nil if the text is not a value of the column.
    fileprivate func value(of text: String) -> JSON? {
        if text.isEmpty && isNullable { return .some(.null) }
        if kind == .text { return .string(text) }
        let json = try? JSON(parsing: text)
        return kind == .any ? json ?? .string(text) : json
    }
}
