import SyncProtocol

/// A live row.
struct WireRow: Sendable, Equatable {
    var id: String
    var version: ServerVersion
    /// One for each of the collection's columns, in their order; nil where the row doesn't have the member.
    var values: [JSON?]
}
