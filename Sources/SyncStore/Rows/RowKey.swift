import SyncProtocol
import SyncSchema

/// Names a row of any collection.
package struct RowKey: Hashable, Sendable {
    package let collection: String
    package let id: String

    package init(_ collection: String, _ id: String) {
        self.collection = collection
        self.id = id
    }

    /// By the id alone, which tells rows apart by itself nearly always; a large batch looks up each row some 15 times.
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
