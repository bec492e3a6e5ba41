import SyncProtocol
import SyncSchema
import SyncStore

/// Keeps what the store derives from a project's rows equal to them: counts, digests, former owners, the project's
/// state, and who is a member. A commit calls it with all rows that it writes.
struct Derived {
    private let transaction: any WriteTransaction
    private let registry: Registry
    private let project: String

    init(_ transaction: any WriteTransaction, _ registry: Registry, project: String) {
        self.transaction = transaction
        self.registry = registry
        self.project = project
    }

    func count(_ rows: [Draft.Entry], of collection: Collection) throws {
        var change = RowCounts(live: 0, tombstones: 0)
        for row in rows {
            if let original = row.original {
                if original.isDeleted { change.tombstones -= 1 } else { change.live -= 1 }
            }
            if row.current.isDeleted { change.tombstones += 1 } else { change.live += 1 }
        }
        if change != RowCounts(live: 0, tombstones: 0) {
            try transaction.addCounts(project: project, collection: collection.name, change)
        }
    }

    /// Compares the old and the new state of the rows. Takes one look-up for each audience that the write touched, and
    /// none if rows were only stamped.
    func digest(_ rows: [Draft.Entry], of collection: Collection) throws {
        var changes: [Audience: CollectionDigest] = [:]
        for row in rows {
            if let original = row.original, !original.isDeleted, let audience = collection.audience(of: original) {
                changes[audience, default: .empty].remove(original.id, original.version)
            }
            if !row.current.isDeleted, let audience = collection.audience(of: row.current) {
                changes[audience, default: .empty].insert(row.current.id, row.current.version)
            }
        }
        for (audience, change) in changes where change != .empty {
            try transaction.addDigest(project: project, collection: collection.name, of: audience, change)
        }
    }

    /// Turns all rows that are still live into tombstones of this commit. This happens in the store, because a project
    /// can be too large for a draft.
    func deleteProject(at seq: SyncSeq, _ now: Instant) throws {
        for collection in registry.collections where collection.scope != .project {
            let count = try transaction.tombstoneAll(collection, project: project, at: seq)
            guard count > 0 else { continue }
            let change = RowCounts(live: -count, tombstones: count)
            try transaction.addCounts(project: project, collection: collection.name, change)
        }
        try transaction.dropDigests(project: project)
        try transaction.unnameAllFiles(of: project, at: now)
    }

    // MARK: Owners and lists

    /// Records for whom rows are listed now, and the digests of what these users see.
    func list(_ rows: ListedRows, at seq: SyncSeq) throws {
        for (name, changes) in rows.changes.sorted(by: { $0.key < $1.key }) {
            try transaction.list(changes, of: registry.collection(name), project: project, at: seq)
        }
        for (name, digests) in rows.digests {
            for (audience, change) in digests where change != .empty {
                try transaction.addDigest(project: project, collection: name, of: audience, change)
            }
        }
    }

    /// Records who had the rows and no longer has them.
    func handOver(_ moves: [HandOver], of collection: Collection, at seq: SyncSeq) throws {
        if !moves.isEmpty { try transaction.handOver(moves, of: collection, project: project, at: seq) }
    }

    /// Records again that the author no longer has the row.
    func retellLoss(of key: RowKey, by author: Int64, at seq: SyncSeq) throws {
        let collection = registry.collection(key.collection)
        guard !collection.isListed else { return try transaction.relist(key, for: author, at: seq) }
        try handOver([HandOver(id: key.id, from: author, to: nil)], of: collection, at: seq)
    }

    // MARK: Projects and members

    /// Keeps the project's state equal to its row.
    func deriveState(_ rows: [Draft.Entry], of collection: Collection) throws {
        guard collection.scope == .project else { return }
        let archived = collection.position("is_archived")
        for row in rows.map(\.current) {
            let isArchived = archived.map { row.values[$0] == .bool(true) } ?? false
            try transaction.setState(project: project, isArchived: isArchived, isDeleted: row.isDeleted)
        }
    }

    /// Keeps the members' access equal to their rows. A user who leaves and comes back in one write has two rows. The
    /// live one counts.
    func deriveAccess(_ rows: [Draft.Entry], of collection: Collection, at seq: SyncSeq) throws {
        guard collection.scope == .membership else { return }
        for row in rows.sorted(by: { $0.current.isDeleted && !$1.current.isDeleted }) {
            try deriveAccess(row.current, in: collection, at: seq)
        }
    }

    private func deriveAccess(_ row: StoredRow, in collection: Collection, at seq: SyncSeq) throws {
        guard let user = collection.position("user").flatMap({ row.values[$0].int }) else { return }
        let role = collection.position("role").flatMap { row.values[$0].int }.flatMap { Role(rawValue: Int($0)) }
        var access =
            try transaction.access(project: project, user: user)
            ?? Access(role: nil, widenedSeq: .zero, narrowedSeq: .zero)
        let before = access.role?.rawValue ?? 0
        let after = row.isDeleted ? 0 : role?.rawValue ?? 0
        if after > before { access.widenedSeq = seq }
        if hidesSomething(from: before, to: after) { access.narrowedSeq = seq }
        let next = row.isDeleted ? nil : role
        if access.role != nil, next == nil { try transaction.endStint(of: user, in: project, at: seq) }
        if access.role == nil, next != nil { try transaction.beginStint(of: user, in: project, at: seq) }
        access.role = next
        access.history.note(access.role, at: seq)
        try transaction.setAccess(project: project, user: user, access)
    }

    /// Whether a gate lies between the roles. Only then does a fall of the role hide rows. Any other fall must leave no
    /// trace: a member who comes back would be told to drop the ids of rows that they could never see.
    private func hidesSomething(from before: Int, to after: Int) -> Bool {
        registry.collections.contains { collection in
            switch collection.visibility {
            case .everyone, .own, .listed(_, nil), .inherited, .inheritedList: false
            case .listed(_, let role?), .gate(_, _, let role): after < role.rawValue && role.rawValue <= before
            }
        }
    }
}
