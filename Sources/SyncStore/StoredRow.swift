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
    /// The last commit that changed what decides in which parts the row is, or that delivered it anew. Nil if there was
    /// none since its insert, or since the database knows of parts.
    package var filterSeq: SyncSeq?

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
        gateSeq: SyncSeq, gateChanges: [SyncSeq], filterSeq: SyncSeq? = nil
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
        self.filterSeq = filterSeq
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

/// The commits that created, hid, showed and deleted a row.
package struct RowLife {
    package let createdSeq: SyncSeq
    /// `SyncSeq.maximum` for a live row. A tombstone that never was a live row existed
    /// for its one commit, so it reaches the device that sent the row.
    package let deletedSeq: SyncSeq
    package let isGated: Bool
    package let gateSeq: SyncSeq
    package let gateChanges: [SyncSeq]
    /// Who made the row; nil if that is not known.
    package let insertedBy: Int64?

    /// The parameters are as in `StoredRow`.
    package init(
        createdSeq: SyncSeq, contentSeq: SyncSeq, isDeleted: Bool, isGated: Bool, gateSeq: SyncSeq,
        gateChanges: [SyncSeq], insertedBy: Int64? = nil
    ) {
        self.createdSeq = createdSeq
        deletedSeq = isDeleted ? max(contentSeq, createdSeq.next) : .maximum
        self.isGated = isGated
        self.gateSeq = gateSeq
        self.gateChanges = gateChanges
        self.insertedBy = insertedBy
    }
}

extension StoredRow {
    /// The commits that created, hid, showed and deleted the row.
    package var life: RowLife {
        RowLife(
            createdSeq: createdSeq, contentSeq: contentSeq, isDeleted: isDeleted, isGated: isGated,
            gateSeq: gateSeq, gateChanges: gateChanges, insertedBy: insertedBy)
    }
}

/// The users who see a row, as far as the schema distinguishes them. A caller sees all rows of an audience or none of
/// them, so the digest of what any caller sees is combined from the digests of audiences.
package enum Audience: Hashable, Sendable {
    /// Every member.
    case everyone
    /// Members whose role passes the collection's gate.
    case behindGate
    /// One user, whatever the user's role.
    case user(Int64)
}

extension Collection {
    /// Whether rows can be hidden by a gate, their own or a parent row's.
    package var isGated: Bool {
        switch visibility {
        case .everyone, .own, .listed, .inheritedList: false
        case .gate, .inherited: true
        }
    }

    /// Who sees the row, apart from the users who are listed for it. Nil if nobody else does: for a row of an own-only
    /// collection that has no owner, and for one of a collection whose lists decide alone.
    package func audience(of row: StoredRow) -> Audience? {
        audience(isGated: row.isGated, owner: ownerField.flatMap { row.values[position(named: $0)].int })
    }

    /// The field with the only user who sees a row; nil unless the collection is own-only.
    package var ownerField: String? {
        switch visibility {
        case .own(let field): field
        case .everyone, .listed, .gate, .inherited, .inheritedList: nil
        }
    }

    /// Who sees a row with these properties, apart from the users who are listed for it. `owner` is used for own-only
    /// collections only.
    package func audience(isGated: Bool, owner: Int64?) -> Audience? {
        switch visibility {
        case .everyone: .everyone
        case .own: owner.map(Audience.user)
        case .listed, .inheritedList: listedRole == nil ? nil : .behindGate
        case .gate, .inherited: isGated ? .behindGate : .everyone
        }
    }

    /// The users whom the row itself names as those who see it, each once. Empty for other collections.
    package func listedUsers(of row: StoredRow) -> Set<Int64> {
        switch visibility {
        case .listed(let fields, _):
            Set(fields.flatMap { row.values[position(named: $0)].listed })
        case .everyone, .own, .gate, .inherited, .inheritedList: []
        }
    }
}

extension JSON {
    /// The users of a field with one or several.
    fileprivate var listed: [Int64] { (array ?? [self]).compactMap(\.int) }
}
