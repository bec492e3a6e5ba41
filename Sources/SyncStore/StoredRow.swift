package import SyncProtocol
package import SyncSchema

/// A synced row as the store holds it: values, stamps and life.
package struct StoredRow: Sendable, Equatable {
    package let id: String
    /// The project that the row belongs to. A project's own row has its own id here.
    package let project: String
    /// The values of the collection's fields in normal form, in the order of `Collection.fields`.
    package var values: [JSON]
    package var version: ServerVersion
    /// The commit that delivers the row to clients: its last change, or a later re-stamp.
    package var seq: SyncSeq
    /// The commit of the last change of content. Conflict checks use this number, never `seq`.
    package var contentSeq: SyncSeq
    /// The commit that inserted the row.
    package var createdSeq: SyncSeq
    /// The user who inserted the row; nil if the row is older than this column.
    package var insertedBy: Int64?
    /// When the row was inserted, by the server's clock; nil if the row is older than this column.
    package var insertedAt: Instant?
    package var isDeleted: Bool
    /// Whether the gate hides the row from callers below the gate's role.
    package var isGated: Bool
    /// The commit that gave `isGated` its present value.
    package var gateSeq: SyncSeq
    /// The commits that changed `isGated`, oldest first; the last one is `gateSeq`. Empty if it never changed, and in
    /// rows older than this column. A leading zero means that what was before the next commit is unknown.
    package var gateChanges: [SyncSeq] = []

    /// A row that is not stored yet: no commit, version 0.
    package init(newIn collection: Collection, project: String, id: String, values: [JSON]) {
        self.id = id
        self.project = project
        self.values = values
        version = ServerVersion(0)
        seq = .zero
        contentSeq = .zero
        createdSeq = .zero
        isDeleted = false
        isGated = false
        gateSeq = .zero
    }

    /// A stored row.
    package init(
        id: String, project: String, values: [JSON], version: ServerVersion, seq: SyncSeq, contentSeq: SyncSeq,
        createdSeq: SyncSeq, insertedBy: Int64?, insertedAt: Instant?, isDeleted: Bool, isGated: Bool,
        gateSeq: SyncSeq, gateChanges: [SyncSeq]
    ) {
        self.id = id
        self.project = project
        self.values = values
        self.version = version
        self.seq = seq
        self.contentSeq = contentSeq
        self.createdSeq = createdSeq
        self.insertedBy = insertedBy
        self.insertedAt = insertedAt
        self.isDeleted = isDeleted
        self.isGated = isGated
        self.gateSeq = gateSeq
        self.gateChanges = gateChanges
    }

    /// The row in its wire form: every field, `id` and `server_version`.
    package func json(in collection: Collection, as encoding: WireEncoding = .json) -> JSON {
        let encoded = zip(collection.fields, values).map { ($0.name, encoding.encoded($1, of: $0)) }
        var members = Dictionary(uniqueKeysWithValues: encoded)
        members["id"] = .string(id)
        members["server_version"] = .int(version.rawValue)
        return .object(members)
    }
}
