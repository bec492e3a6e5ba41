public import SyncProtocol

/// What the server syncs, as `GET /schemas/` tells it: the tables of a replica come from this.
public struct ServerSchema: Sendable, Equatable {
    /// Changes with every change of the schema.
    public let version: String
    /// In drain order: parents before children.
    public let collections: [CollectionSchema]
    /// The server's answer, from which `init(_:)` reads the same schema again.
    public let json: JSON

    /// The collection of that name, byte for byte.
    public subscript(name: String) -> CollectionSchema? { collections.first { $0.name.utf8.elementsEqual(name.utf8) } }
}
