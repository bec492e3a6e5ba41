/// Identifies a row of any collection.
package struct RowKey: Hashable, Sendable {
    package let collection: String
    package let id: String

    package init(_ collection: String, _ id: String) {
        self.collection = collection
        self.id = id
    }

    /// Hashes the id only, which is nearly always unique by itself. A large batch looks up each row about 15 times.
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
