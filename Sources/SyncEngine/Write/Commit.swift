package import SyncProtocol
import SyncSchema
import SyncStore

/// Writes a draft to the store under one commit number. Everything that a commit does is called from here, in order.
///
/// Invariant: the number and the rows share the transaction, and the counter stays locked until that commits. Commit
/// order is therefore number order.
struct Commit {
    private let draft: Draft
    private let transaction: any WriteTransaction
    private let history: History
    private let derived: Derived
    private let takenRows: TakenRows
    private let auditTrail: AuditTrail

    /// The draft's rows must be final, but for those that follow from its own memberships and gates.
    init(of draft: Draft) {
        self.draft = draft
        transaction = draft.transaction
        history = History(transaction, project: draft.project, origin: draft.origin, now: draft.now)
        derived = Derived(transaction, draft.registry, project: draft.project)
        takenRows = TakenRows(of: draft)
        auditTrail = AuditTrail(of: draft)
    }

    /// Returns the number. Returns nil, and draws no number, if there is nothing to write.
    func write() throws -> SyncSeq? {
        try draft.clearDepartedUsers()
        draft.keepOwnersOfDeletedRows()
        let files = try draft.settleFiles()
        try draft.updateGates()
        try history.note(draft.sightings) { try draft.original($0) }
        let keys = Dictionary(grouping: draft.entries.keys.filter { draft.entries[$0]!.isDirty }, by: \.collection)
        guard !keys.isEmpty || !draft.losses.isEmpty else { return nil }
        let listed = try draft.listedRows(of: keys)
        let seq = try drawNumber(for: keys, listed.users)
        try write(keys, at: seq)
        try derived.list(listed, at: seq)
        try files.write(to: transaction)
        for key in draft.losses { try derived.retellLoss(of: key, by: draft.author, at: seq) }
        if draft.isProjectDeleted { try derived.deleteProject(at: seq, draft.now) }
        return seq
    }

    /// Writes new rows to the store under a number that is already drawn.
    func write(under seq: SyncSeq) throws {
        let files = try draft.settleFiles()
        let keys = Dictionary(grouping: draft.entries.keys, by: \.collection)
        let listed = try draft.listedRows(of: keys)
        try write(keys, at: seq)
        try derived.list(listed, at: seq)
        try files.write(to: transaction)
    }

    private func drawNumber(for keys: [String: [RowKey]], _ listed: Set<Int64>) throws -> SyncSeq {
        let seq = try transaction.drawSeq(of: draft.projectState(), shortIDs: draft.shortIDs.taken)
        try transaction.number(
            NumberedCommit(
                project: draft.project, seq: seq, at: draft.now, audiences: draft.audiences(of: keys, listed: listed),
                changesSight: draft.changesSight(keys)))
        return seq
    }

    private func write(_ keys: [String: [RowKey]], at seq: SyncSeq) throws {
        for collection in draft.registry.collections {
            guard let keys = keys[collection.name]?.sorted(by: { $0.id < $1.id }) else { continue }
            for key in keys { draft.modify(key) { $0.stamp(seq, collection) } }
            let rows = keys.map { draft.entries[$0]! }
            try write(rows, of: collection)
            draft.largeHistory += try history.remember(rows, of: collection, at: seq)
            try takenRows.tellOwners(of: rows, collection)
            try derived.count(rows, of: collection)
            try derived.digest(rows, of: collection)
            try derived.handOver(rows.compactMap { draft.handOver($0, of: collection) }, of: collection, at: seq)
            try derived.deriveState(rows, of: collection)
            try derived.deriveAccess(rows, of: collection, at: seq)
            try auditTrail.note(rows, of: collection)
        }
    }

    /// Tombstones first, because they free their unique keys for the others. A key may also move between live rows.
    private func write(_ rows: [Draft.Entry], of collection: Collection) throws {
        let moving = rows.filter { !$0.isNew && !$0.current.isDeleted && $0.movesKey(of: collection) }
        try update(rows.filter { !$0.isNew && $0.current.isDeleted }, collection)
        if !moving.isEmpty { try transaction.vacate(moving.map(\.current.id), in: collection) }
        try transaction.insert(rows.filter { $0.isNew && $0.current.isDeleted }.map(\.current), into: collection)
        try transaction.insert(rows.filter { $0.isNew && !$0.current.isDeleted }.map(\.current), into: collection)
        try update(rows.filter { !$0.isNew && !$0.current.isDeleted }, collection)
    }

    private func update(_ rows: [Draft.Entry], _ collection: Collection) throws {
        let changed = rows.filter(\.contentChanged).map(\.current)
        let stamped = rows.filter { !$0.contentChanged }.map(\.current)
        if !stamped.isEmpty { try transaction.restamp(stamped, in: collection) }
        if !changed.isEmpty { try transaction.update(changed, in: collection) }
    }
}

extension Draft {
    /// Throws `invalid_rows` with `sight_too_large`.
    fileprivate func listedRows(of dirty: [String: [RowKey]]) throws -> ListedRows {
        do {
            return try ListedRows(of: self, dirty)
        } catch let error as ListedRows.TooLarge {
            throw Problem(refusing: error)
        }
    }
}

extension Draft {
    /// Writes the draft to the store, as `Commit.write()` says.
    package func commit() throws -> SyncSeq? { try Commit(of: self).write() }
}

extension Draft.Entry {
    /// Stamps a dirty row. It always gets the commit. Its edit counter rises for a change of content, and again for a
    /// delete.
    ///
    /// A tombstone counts as deleted at the commit that stamped it last. Otherwise a drain from between the delete and
    /// that commit would take it for one that its reader knows.
    fileprivate mutating func stamp(_ seq: SyncSeq, _ collection: Collection) {
        current.seq = seq
        if movesBetweenParts(collection) { current.filterSeq = seq }
        if isNew {
            current.createdSeq = seq
            current.gateSeq = seq
        } else if current.isGated != original?.isGated {
            current.noteGateChange(at: seq)
        }
        if contentChanged { current.version = current.version.next }
        if becameDeleted { current.version = current.version.next }
        if contentChanged || current.isDeleted { current.contentSeq = seq }
    }

    /// Whether the row may be in other parts than before, or somebody may hold it whose part it is not in.
    private func movesBetweenParts(_ collection: Collection) -> Bool {
        guard let original else { return false }
        return isRestamped || isSentAsNew || current.isGated != original.isGated
            || collection.deciding.contains { original.values[$0] != current.values[$0] }
    }

    /// Whether a unique key gets other values.
    fileprivate func movesKey(of collection: Collection) -> Bool {
        guard let original else { return false }
        return collection.uniqueKeys.contains {
            collection.values(of: $0, in: original) != collection.values(of: $0, in: current)
        }
    }
}

/// Rows that only their owners saw, and that a cascade of somebody else's delete took along.
struct TakenRows {
    private let transaction: any WriteTransaction
    private let project: String
    private let author: Int64
    private let now: Instant
    private let isTold: Bool

    init(of draft: Draft) {
        transaction = draft.transaction
        project = draft.project
        author = draft.author
        now = draft.now
        isTold = draft.access != nil && !draft.isProjectDeleted
    }

    /// Puts such rows into their owners' inboxes. The author could not know of them, and the tombstone that their
    /// owners get does not have the values.
    ///
    /// The delete of a whole project writes nothing: it is told to every member by `project_deleted`. The server's own
    /// writes tell nobody.
    func tellOwners(of rows: [Draft.Entry], _ collection: Collection) throws {
        guard isTold else { return }
        switch collection.visibility {
        case .everyone, .listed, .gate, .inherited, .inheritedList: return
        case .own: break
        }
        let taken = rows.compactMap { row -> LostEdit? in
            guard row.becameDeleted, let original = row.original,
                case .user(let owner)? = collection.audience(of: original), owner != author
            else { return nil }
            var sent = original.json(in: collection).object ?? [:]
            sent["server_version"] = nil
            return LostEdit(
                userID: owner, key: RowKey(collection.name, original.id), field: nil, code: .parentDeleted,
                sent: .object(sent), kept: .null, batchID: nil)
        }
        if !taken.isEmpty { try transaction.addToInbox(taken, project: project, at: now) }
    }
}

/// Tells the audit list who became a member, got another role or left, and what became of the project itself.
struct AuditTrail {
    private let transaction: any WriteTransaction
    private let project: String
    /// Who did it; nil for the server's own writes, which the list leaves out.
    private let actor: Actor?
    private let now: Instant
    /// Whether the commit creates or deletes the project. The members that it has then are not told one by one.
    private let isWholeProject: Bool

    init(of draft: Draft) {
        transaction = draft.transaction
        project = draft.project
        actor = draft.actor
        now = draft.now
        isWholeProject = draft.isProjectNew || draft.isProjectDeleted
    }

    func note(_ rows: [Draft.Entry], of collection: Collection) throws {
        guard let actor, collection.scope != .ordinary else { return }
        for row in rows.sorted(by: { $0.current.id < $1.current.id }) {
            let event = collection.scope == .project ? projectEvent(row, collection) : memberEvent(row, collection)
            guard let event else { continue }
            try transaction.audit(
                AuditEntry(
                    event.action, by: actor, subject: event.subject, project: project, details: event.details,
                    at: now))
        }
    }

    private typealias Event = (action: AuditAction, subject: Int64?, details: [String: JSON])

    private func projectEvent(_ row: Draft.Entry, _ collection: Collection) -> Event? {
        let name = collection.position("name").map { row.current.values[$0] } ?? .null
        guard let original = row.original else { return (.projectCreated, nil, ["name": name]) }
        if row.becameDeleted { return (.projectDeleted, nil, ["name": name]) }
        guard let place = collection.position("is_archived"), original.values[place] != row.current.values[place] else {
            return nil
        }
        let isArchived = row.current.values[place] == .bool(true)
        return (isArchived ? .projectArchived : .projectUnarchived, nil, ["name": name])
    }

    private func memberEvent(_ row: Draft.Entry, _ collection: Collection) -> Event? {
        guard !isWholeProject, let user = collection.position("user").flatMap({ row.current.values[$0].int }) else {
            return nil
        }
        func role(_ row: StoredRow) -> JSON {
            collection.position("role").map { row.values[$0] } ?? .null
        }
        guard let original = row.original else {
            return row.current.isDeleted ? nil : (.memberAdded, user, ["role": role(row.current)])
        }
        if row.becameDeleted { return (.memberRemoved, user, ["role": role(original)]) }
        guard role(original) != role(row.current) else { return nil }
        return (.roleChanged, user, ["before": role(original), "after": role(row.current)])
    }
}
