package import SyncProtocol
package import SyncSchema

/// A synced row as the store holds it.
package struct StoredRow: Sendable, Equatable {
    package let id: String
    /// The project that the row belongs to; its own id for a project's row.
    package let project: String
    /// The values of the collection's fields, by position, in their normal form.
    package var values: [JSON]
    package var version: ServerVersion
    /// The commit that delivers the row: of its last change, or of a later re-stamp.
    package var seq: SyncSeq
    /// The commit of the last change of content. Conflict tests look here, never at `seq`.
    package var contentSeq: SyncSeq
    /// The commit that inserted the row.
    package var createdSeq: SyncSeq
    /// The user who inserted the row; nil for rows from before that was recorded.
    package var insertedBy: Int64?
    /// When the row was inserted, by the server's clock; nil for rows from before that was recorded.
    package var insertedAt: Instant?
    package var isDeleted: Bool
    /// Whether a gate hides the row from callers below the gate's role.
    package var isGated: Bool
    /// The commit at which `isGated` took its present value.
    package var gateSeq: SyncSeq
    /// The commits at which `isGated` changed, the oldest first, `gateSeq` last. Empty where it never did, and in rows
    /// from before that was recorded. A zero in front: what was before the next one is not known.
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

    /// The wire form: every field, `id` and `server_version`.
    package func json(in collection: Collection, as encoding: WireEncoding = .json) -> JSON {
        let encoded = zip(collection.fields, values).map { ($0.name, encoding.encoded($1, of: $0)) }
        var members = Dictionary(uniqueKeysWithValues: encoded)
        members["id"] = .string(id)
        members["server_version"] = .int(version.rawValue)
        return .object(members)
    }
}
