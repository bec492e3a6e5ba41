/// A live row with a field that refers to what is not there, or not live.
package struct DeadReference: Sendable, Hashable {
    package let key: RowKey
    package let field: String

    package init(_ key: RowKey, field: String) {
        self.key = key
        self.field = field
    }
}
