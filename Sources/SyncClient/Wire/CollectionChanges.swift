import SyncProtocol

/// The changes to one collection on one page.
struct CollectionChanges: Sendable, Equatable {
    var collection: String
    var created: [WireRow]
    var updated: [WireRow]
    var deleted: [String]

    var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
}
