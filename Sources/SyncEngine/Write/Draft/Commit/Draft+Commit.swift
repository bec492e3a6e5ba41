package import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Writes the draft to the store under one commit number, and returns the number. Returns
    /// nil, and draws no number, if there is nothing to write.
    ///
    /// Invariant: the number and the rows share the transaction, and the counter stays locked until that commits.
    /// Commit order is therefore number order.
    package func commit() throws -> SyncSeq? {
        try clearDepartedUsers()
        keepOwnersOfDeletedRows()
        try regate()
        try noteSightings()
        let dirty = Dictionary(grouping: entries.keys.filter { entries[$0]!.isDirty }, by: \.collection)
        guard !dirty.isEmpty || !losses.isEmpty else { return nil }
        let seq = try transaction.drawSeq(of: projectState(), shortIDs: shortIDs.taken)
        try transaction.number(
            NumberedCommit(
                project: project, seq: seq, at: now, audiences: audiences(of: dirty),
                changesSight: changesSight(dirty)))
        try write(dirty, at: seq)
        try retellLosses(at: seq)
        if isProjectDeleted { try tombstoneAll(at: seq) }
        return seq
    }

    /// Writes new rows to the store under a number that is already drawn.
    func commit(under seq: SyncSeq) throws { try write(Dictionary(grouping: entries.keys, by: \.collection), at: seq) }

    private func write(_ keys: [String: [RowKey]], at seq: SyncSeq) throws {
        for collection in registry.collections {
            guard let keys = keys[collection.name] else { continue }
            try write(keys.sorted { $0.id < $1.id }, of: collection, at: seq)
        }
    }

    private func write(_ keys: [RowKey], of collection: Collection, at seq: SyncSeq) throws {
        for key in keys { stamp(key, seq) }
        let rows = keys.map { entries[$0]! }
        // Tombstones first, because they free their unique keys for the others. A key may also move between live rows.
        let moving = rows.filter { !$0.isNew && !$0.current.isDeleted && movesKey($0, collection) }
        try update(rows.filter { !$0.isNew && $0.current.isDeleted }, collection)
        if !moving.isEmpty { try transaction.vacate(moving.map(\.current.id), in: collection) }
        try transaction.insert(rows.filter { $0.isNew && $0.current.isDeleted }.map(\.current), into: collection)
        try transaction.insert(rows.filter { $0.isNew && !$0.current.isDeleted }.map(\.current), into: collection)
        try update(rows.filter { !$0.isNew && !$0.current.isDeleted }, collection)
        try remember(rows, of: collection, at: seq)
        try tellOwners(of: rows, collection)
        try count(rows, collection)
        try digest(rows, collection)
        try handOver(rows, collection, seq)
        try derive(rows, collection, seq)
        try audit(rows, of: collection)
    }

    private func update(_ rows: [Entry], _ collection: Collection) throws {
        let changed = rows.filter(\.contentChanged).map(\.current)
        let stamped = rows.filter { !$0.contentChanged }.map(\.current)
        if !stamped.isEmpty { try transaction.restamp(stamped, in: collection) }
        if !changed.isEmpty { try transaction.update(changed, in: collection) }
    }

    private func movesKey(_ entry: Entry, _ collection: Collection) -> Bool {
        guard let original = entry.original else { return false }
        return collection.uniqueKeys.contains {
            collection.values(of: $0, in: original) != collection.values(of: $0, in: entry.current)
        }
    }

    private func count(_ rows: [Entry], _ collection: Collection) throws {
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

    /// Keeps the project's state and its members' access equal to the synced rows.
    private func derive(_ rows: [Entry], _ collection: Collection, _ seq: SyncSeq) throws {
        switch collection.scope {
        case .ordinary: break
        case .project:
            let archived = collection.position("is_archived")
            for row in rows.map(\.current) {
                let isArchived = archived.map { row.values[$0] == .bool(true) } ?? false
                try transaction.setState(project: project, isArchived: isArchived, isDeleted: row.isDeleted)
            }
        case .membership:
            // A user who leaves and comes back in one write has two rows. The live one counts.
            for row in rows.sorted(by: { $0.current.isDeleted && !$1.current.isDeleted }) {
                try deriveAccess(row.current, collection, seq)
            }
        }
    }

    private func deriveAccess(_ row: StoredRow, _ collection: Collection, _ seq: SyncSeq) throws {
        guard let user = collection.position("user").flatMap({ row.values[$0].int }) else { return }
        let role = collection.position("role").flatMap { row.values[$0].int }.flatMap { Role(rawValue: Int($0)) }
        var access =
            try transaction.access(project: project, user: user)
            ?? Access(role: nil, widenedSeq: .zero, narrowedSeq: .zero)
        let (before, after) = (access.role?.rawValue ?? 0, row.isDeleted ? 0 : role?.rawValue ?? 0)
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
            case .everyone, .own, .inherited: false
            case .gate(_, _, let role): after < role.rawValue && role.rawValue <= before
            }
        }
    }
}
