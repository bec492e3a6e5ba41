import SyncProtocol

/// What a page says about one collection.
struct CollectionChanges: Sendable, Equatable {
    var collection: String
    var created: [WireRow]
    var updated: [WireRow]
    var deleted: [String]

    var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
}
