/// A live row, and a field of it that refers to a row that does not exist or is not live.
package struct DeadReference: Sendable, Hashable {
    package let key: RowKey
    package let field: String

    package init(_ key: RowKey, field: String) {
        self.key = key
        self.field = field
    }
}
