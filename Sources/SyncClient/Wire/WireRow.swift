import SyncProtocol

/// A live row, as a page or an answer carries it.
struct WireRow: Sendable, Equatable {
    var id: String
    var version: ServerVersion
    /// One value for each column of the collection, in the schema's order. Nil when the row has no such member.
    var values: [JSON?]

    /// The row's project; nil in a replica of one project.
    func project(in collection: CollectionSchema) -> String? { collection.projectPlace.flatMap { values[$0]?.string } }
}
