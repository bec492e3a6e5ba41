import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Clears users who lost their membership in this draft from the fields whose `x-user` says `clear`.
    func clearDepartedUsers() throws {
        guard !isProjectDeleted, let position = registry.memberships.position("user") else { return }
        let name = registry.memberships.name
        let gone = entries.filter { $0.key.collection == name && $0.value.becameDeleted }.values
        for user in Set(gone.compactMap { $0.current.values[position].int }) where try !isMember(user) {
            for collection in registry.collections {
                for field in collection.fields where field.user == .clear {
                    try take(.int(user), out: field, of: collection)
                }
            }
        }
    }

    private func take(_ user: JSON, out field: Field, of collection: Collection) throws {
        let position = collection.position(of: field)
        for row in try liveRecords(in: collection, where: field, holds: user) {
            try update(RowKey(collection.name, row.id), stored: row) { values in
                values[position] = values[position].array.map { .array($0.filter { $0 != user }) } ?? .null
            }
        }
    }
}

extension Draft {
    /// Keeps the former owner of a row that one write both gives away and deletes, and the users who were listed for
    /// it. Nobody else could see it.
    func keepOwnersOfDeletedRows() {
        for (key, entry) in entries where entry.becameDeleted && (!entry.isNew || access != nil) {
            let collection = registry.collection(key.collection)
            if case .listed(let fields, _) = collection.visibility, let original = entry.original {
                let positions = fields.map { collection.position(named: $0) }
                modify(key) { for position in positions { $0.current.values[position] = original.values[position] } }
            }
            guard let position = collection.ownerPosition else { continue }
            modify(key) { $0.current.values[position] = holder(of: entry, position) }
        }
    }

    /// Who had the row and no longer has it; nil if the same user has it.
    func handOver(_ row: Entry, of collection: Collection) -> HandOver? {
        guard let position = collection.ownerPosition else { return nil }
        let move = HandOver(
            id: row.current.id, from: holder(of: row, position).int, to: row.current.values[position].int)
        return move.from != move.to || row.isNew && collection.fields[position].isMovable ? move : nil
    }

    /// The user whose device had the row before the write; null for nobody. A new row is on the device that created it.
    /// The server's own writes have no device.
    private func holder(of row: Entry, _ position: Int) -> JSON {
        if let original = row.original { return original.values[position] }
        return access == nil ? .null : .int(author)
    }
}

extension Collection {
    /// The position of the owner's field; nil unless the collection is own-only.
    fileprivate var ownerPosition: Int? {
        switch visibility {
        case .everyone, .listed, .gate, .inherited, .inheritedList: nil
        case .own(let field): position(field)
        }
    }
}

extension Field {
    /// Whether the field can get another user.
    var isMovable: Bool { !isServerOwned || user == .clear }
}

extension Draft {
    /// Updates the gates of changed rows. If a row's gate opened or closed, its dependants are delivered again, because
    /// their own numbers may be older than a client's watermark.
    func updateGates() throws {
        for collection in registry.collections {
            guard collection.isGated else { continue }
            for key in entries.keys where key.collection == collection.name {
                try updateGate(key, collection)
            }
        }
    }

    private func updateGate(_ key: RowKey, _ collection: Collection) throws {
        guard let entry = entries[key], !entry.current.isDeleted || entry.isNew else { return }
        let isGated = try isGated(entry.current, collection)
        guard isGated != entry.current.isGated else { return }
        modify(key) { $0.current.isGated = isGated }
        guard !entry.isNew else { return }
        for referrer in registry.referrers(of: collection.name) {
            let dependants = registry.collection(referrer.collection)
            guard dependants.inherits(by: referrer.field) else { continue }
            for row in try liveRecords(in: dependants, where: referrer.field, holds: .string(key.id)) {
                try restamp(RowKey(dependants.name, row.id))
            }
        }
    }

    private func isGated(_ record: StoredRow, _ collection: Collection) throws -> Bool {
        switch collection.visibility {
        case .everyone, .own, .listed, .inheritedList: return false
        case .gate(let field, let value, _): return record.values[collection.position(named: field)] == value
        case .inherited(let field):
            guard let parent = collection.field(field)?.reference?.collection,
                let id = record.values[collection.position(named: field)].string
            else { return false }
            return try self.record(RowKey(parent, id))?.isGated ?? false
        }
    }
}

extension Draft {
    /// Who may see something of a commit of these rows, judged by the rows before and after it.
    ///
    /// `listed` are the users for whom one of the rows is or was listed. If they are many, it is everybody.
    func audiences(of dirty: [String: [RowKey]], listed: Set<Int64> = []) -> Set<CommitAudience> {
        guard !isProjectDeleted, listed.count <= Draft.mostSingleUsers else { return [.everyone] }
        var audiences = Set(listed.map(CommitAudience.user))
        if !losses.isEmpty { audiences.insert(.user(author)) }
        for (name, keys) in dirty {
            let collection = registry.collection(name)
            // Nearly always the case, and then no row has to be looked at.
            guard collection.visibility != .everyone else {
                audiences.insert(.everyone)
                continue
            }
            for entry in keys.compactMap({ entries[$0] }) {
                for row in [entry.original, entry.current] {
                    switch row.flatMap({ collection.audience(of: $0) }) {
                    case .everyone: audiences.insert(.everyone)
                    case .behindGate: audiences.insert(.members(from: collection.gateRole(registry) ?? .viewer))
                    case .user(let id): audiences.insert(.user(id))
                    case nil: break
                    }
                }
            }
        }
        return audiences
    }

    /// A commit that concerns more single users is told to every member.
    private static let mostSingleUsers = 1000

    /// Whether a commit of these rows changes who sees what: a membership, or a row's gate.
    func changesSight(_ dirty: [String: [RowKey]]) -> Bool {
        isProjectDeleted
            || dirty.contains { name, keys in
                let collection = registry.collection(name)
                guard collection.scope != .membership else { return true }
                guard collection.isGated else { return false }
                return keys.compactMap { entries[$0] }.contains { entry in
                    entry.original.map { $0.isGated != entry.current.isGated } ?? false
                }
            }
    }
}
