import SyncProtocol

/// One synced collection, and so one table.
public struct CollectionSchema: Sendable, Equatable {
    /// Both the wire's and the table's name.
    public let name: String
    /// Whether its rows can be changed here: uploads take them.
    public let isUploadable: Bool
    /// Sorted by name. Without `id` and `server_version`, which every collection has.
    public let columns: [ColumnSchema]

    /// The column of that name, byte for byte.
    public subscript(name: String) -> ColumnSchema? { columns.first { $0.name.utf8.elementsEqual(name.utf8) } }
}
