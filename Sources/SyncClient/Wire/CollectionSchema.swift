import SyncProtocol

/// One synced collection. The replica has one table for it.
public struct CollectionSchema: Sendable, Equatable {
    /// The name on the wire, and of the table.
    public let name: String
    /// Whether its rows can be edited in the replica: the server accepts uploads of them.
    public let isUploadable: Bool
    /// The fields without which the server takes no new row, in the order of the schema.
    public let required: [String]
    /// Sorted by name. `id` and `server_version`, which every collection has, are not listed.
    public let columns: [ColumnSchema]
    /// The place of `project_id` in `columns`; nil in a replica of one project.
    let projectPlace: Int?

    /// The column with this name, compared byte by byte. Nil when there is none.
    public subscript(name: String) -> ColumnSchema? { columns.first { $0.name.utf8.elementsEqual(name.utf8) } }
}
