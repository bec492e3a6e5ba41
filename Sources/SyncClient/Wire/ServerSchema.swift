public import SyncProtocol

/// The collections that the server syncs, as `GET /schemas/` lists them. A replica's tables are made from this.
public struct ServerSchema: Sendable, Equatable {
    /// The version. It changes whenever the schema changes.
    public let version: String
    /// The collections in drain order: parents before children.
    public let collections: [CollectionSchema]
    /// The server's response, from which `init(_:allProjects:)` reads an equal schema.
    public let json: JSON
    /// Whether it is for a replica of all projects, with a column `project_id` in every table.
    public let isForAllProjects: Bool

    /// The collection with this name, compared byte by byte. Nil when there is none.
    public subscript(name: String) -> CollectionSchema? { collections.first { $0.name.utf8.elementsEqual(name.utf8) } }
}
