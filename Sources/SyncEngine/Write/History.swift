import SyncProtocol
import SyncSchema
import SyncStore

/// The change history, as a commit writes it: what was replaced, by whom and when.
struct History {
    private let transaction: any WriteTransaction
    private let project: String
    private let origin: Origin
    private let now: Instant

    init(_ transaction: any WriteTransaction, project: String, origin: Origin, now: Instant) {
        self.transaction = transaction
        self.project = project
        self.origin = origin
        self.now = now
    }

    /// Adds the commit's edits and deletes. The history contains no inserts, and of a project that was deleted only the
    /// project's own row. Returns the bytes of large changes.
    func remember(_ rows: [Draft.Entry], of collection: Collection, at seq: SyncSeq) throws -> Int {
        let changes = rows.compactMap { change($0, in: collection, at: seq) }
        if !changes.isEmpty { try transaction.remember(changes) }
        for row in rows where !row.sent.isEmpty { try noteMerged(row, in: collection) }
        return changes.map { JSON.object($0.values).roughBytes }.filter { $0 > LargeRecord.change }.reduce(0, +)
    }

    /// Records, at a row's latest change, the fields that the author sent with the values they already had: the author
    /// has seen these values. A row's first version has no change to record them at. `stored` reads a row.
    func note(_ sightings: [RowKey: Set<String>], of stored: (RowKey) throws -> StoredRow?) throws {
        for (key, fields) in sightings where !fields.isEmpty {
            guard let row = try stored(key), row.version > .first else { continue }
            try transaction.note(RowChange.Sighting(origin: origin, fields: fields), of: key, at: row.version)
        }
    }

    /// Records what was sent for fields that were merged to the value that they had: the author has seen no other.
    private func noteMerged(_ entry: Draft.Entry, in collection: Collection) throws {
        guard let original = entry.original, original.version > .first else { return }
        let sent = entry.sent.filter { field, value in
            let stored = entry.current.values[collection.position(named: field)]
            return stored == original.values[collection.position(named: field)] && stored != value
        }
        guard !sent.isEmpty else { return }
        let sighting = RowChange.Sighting(origin: origin, fields: Set(sent.keys), sent: sent)
        try transaction.note(sighting, of: RowKey(collection.name, original.id), at: original.version)
    }

    private func change(_ entry: Draft.Entry, in collection: Collection, at seq: SyncSeq) -> RowChange? {
        let row = entry.current
        guard let original = entry.original, entry.becameDeleted || entry.contentChanged && !row.isDeleted else {
            return nil
        }
        let replaced = row.isDeleted ? [:] : replacedValues(original, by: row, in: collection)
        return RowChange(
            key: RowKey(collection.name, row.id), project: project, version: row.version, seq: seq, origin: origin,
            at: now, editedAt: editTime(of: row, replaced, collection), replaced: replaced,
            sent: entry.sent.filter { field, value in
                replaced[field] != nil && row.values[collection.position(named: field)] != value
            })
    }

    /// Without fields that the server keeps true to a file: such a change conflicts with nothing.
    private func replacedValues(_ original: StoredRow, by row: StoredRow, in collection: Collection) -> [String: JSON] {
        var replaced: [String: JSON] = [:]
        let sizes = collection.places.fileSizes
        for (position, field) in collection.fields.enumerated() where !field.isServerOwned && !sizes.contains(position)
        {
            if original.values[position] != row.values[position] { replaced[field.name] = original.values[position] }
        }
        return replaced
    }

    /// The edit time, but not later than now: a client whose clock is ahead gains nothing.
    private func editTime(of row: StoredRow, _ replaced: [String: JSON], _ collection: Collection) -> Instant {
        guard let field = collection.editTime, replaced[field.name] != nil else { return now }
        return min(row.editTime(in: collection) ?? now, now)
    }
}

extension Draft {
    /// Keeps the history that the author has in the project bounded. To be called after the commit.
    func trimHistory(to allowance: Allowance) throws {
        guard allowance.isDue(adding: largeHistory) else { return }
        try transaction.trimChanges(of: author, project: project, to: allowance.bytes)
    }
}

extension StoredRow {
    /// The edit time that the row's last editor gave; nil if there is none.
    func editTime(in collection: Collection) -> Instant? {
        collection.editTime.flatMap { values[collection.position(of: $0)].string }.flatMap(Instant.init)
    }
}
