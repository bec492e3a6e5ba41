import SyncProtocol
import SyncSchema
import SyncStore

/// An uploaded edit of a live row, with what has happened to the row since the edit's base.
struct EditInConflict {
    /// The row as it was sent, but with merged values where there are any.
    let row: UploadRequest.Row
    let collection: Collection
    let history: RowHistory
    /// The values that the edit would change, by field, in normal form.
    let edited: [String: JSON]
    /// Fields that the edit sends with the value they already have.
    let unchanged: Set<String>
    /// Fields in which the edit was merged with what others wrote.
    let merged: Set<String>

    /// `merge` is nil if edits replace each other.
    init(row: UploadRequest.Row, history: RowHistory, merge: EditMerge?) {
        let collection = history.collection
        let merged = merge?.merged(row, since: history) ?? []
        let row = merged.reduce(row) { $0.taking($1) }
        self.merged = Set(merged.map(\.field.name))
        self.row = row
        self.collection = collection
        self.history = history
        let sent = row.patch
        let fields = collection.fields.filter { !$0.isServerOwned && sent[$0.name] != nil }
        edited = fields.reduce(into: [:]) { edited, field in
            guard let value = sent[field.name] else { return }
            // A value that the field can't hold is refused later.
            let normal = (try? row.extras.judged.normalized(value, field)) ?? value
            if normal != history.row.values[collection.position(of: field)] { edited[field.name] = normal }
        }
        unchanged = Set(fields.map(\.name)).subtracting(edited.keys)
    }

    /// The fields that the client changed. If the client didn't list its changed fields, these are the fields whose
    /// value differs from the one that it last knew.
    var changed: Set<String> {
        Set(edited.keys.filter { row.limits != nil || history.story(of: collection.field($0)!).known != edited[$0] })
    }

    /// Those of the fields in `changed` that somebody else changed too, or may have changed, sorted. Merged ones have
    /// both changes. The edit time is never contested: it is not content.
    func contested(_ changed: Set<String>) -> [String] {
        changed.filter { name in
            guard name != collection.editTime?.name, !merged.contains(name) else { return false }
            let story = history.story(of: collection.field(name)!)
            return !history.isComplete || story.unseen != nil || story.isMerged
        }.sorted()
    }

    /// Whether the sender's copy will differ from the stored row, because values were merged.
    var isOutdatedByMerge: Bool { !row.extras.sent.isEmpty }

    func conflict(over fields: [String], losing: Set<String>, _ code: ErrorCode) -> RowConflict {
        let sent = row.extras.sent
        return RowConflict(
            row: row, collection: collection, stored: history.row, fields: fields,
            edited: edited.merging(sent) { $1 }.filter { losing.contains($0.key) },
            unchanged: unchanged.subtracting(sent.keys), code: code)
    }
}

extension ConflictCheck.Outcome {
    /// The edit counts as it was sent, but for what was merged.
    mutating func overwrite(_ edit: EditInConflict) {
        if edit.isOutdatedByMerge { outdated.insert(edit.row.pointer) }
        rows.append(edit.row)
    }

    /// Any change by somebody else is a conflict. This is WatermelonDB's rule.
    mutating func refuse(_ edit: EditInConflict) {
        guard edit.history.hasForeignChanges else { return rows.append(edit.row) }
        conflicts.append(edit.conflict(over: edit.edited.keys.sorted(), losing: Set(edit.edited.keys), .conflict))
    }

    /// Keeps both edits if no field is contested. Otherwise the row is left alone, and the edit is a conflict.
    mutating func merge(_ edit: EditInConflict) {
        var changed = edit.changed
        let contested = edit.contested(changed)
        guard contested.isEmpty else {
            return conflicts.append(edit.conflict(over: contested, losing: changed, .conflict))
        }
        if let stale = edit.staleEditTime { changed.remove(stale) }
        if changed.count < edit.edited.count || edit.isOutdatedByMerge { outdated.insert(edit.row.pointer) }
        rows.append(edit.row.limited(to: changed.union(edit.unchanged)))
    }

    /// The later edit wins. A losing edit of the sender becomes a
    /// conflict; losing values of others go to `overwritten`.
    mutating func settleByTime(_ edit: EditInConflict, now: Instant) {
        guard edit.history.hasForeignChanges else { return rows.append(edit.row) }
        let names = Set(edit.edited.keys)
        guard edit.isLater(than: edit.history.lastEditTime(by: now), now: now) else {
            return conflicts.append(edit.conflict(over: names.sorted(), losing: names, .overwritten))
        }
        overwritten[edit.row.pointer] = edit.losses
        rows.append(edit.row)
    }
}

extension RowHistory {
    /// When the competing edit was made; nil if that is unknown.
    ///
    /// This is the edit time of the last change by somebody else. If there is none, it is the edit time of the insert,
    /// which the history does not contain. An insert was made when its client says, but not after it arrived. If the
    /// history does not reach back to the insert, the row's own edit time counts, unless it is in the future.
    func lastEditTime(by now: Instant) -> Instant? {
        if let lastForeign { return lastForeign.editedAt }
        guard leadsToInsert, let insertedAt = row.insertedAt else {
            return row.editTime(in: collection).flatMap { $0 <= now ? $0 : nil } ?? row.insertedAt
        }
        return min(editTimeAtInsert ?? insertedAt, insertedAt)
    }
}

extension EditInConflict {
    private var sentEditTime: Instant? {
        collection.editTime.flatMap { row.patch[$0.name]?.string }.flatMap(Instant.init)
    }

    /// The edit-time field if somebody else's edit time stays, because
    /// it is not earlier than the one sent; otherwise nil.
    var staleEditTime: String? {
        guard let field = collection.editTime, history.story(of: field).unseen != nil, let sent = sentEditTime,
            let stored = history.row.editTime(in: collection), sent <= stored
        else { return nil }
        return field.name
    }

    /// Whether this edit was made after `other`; true if `other` is
    /// nil. An edit without an edit time counts as made now.
    func isLater(than other: Instant?, now: Instant) -> Bool {
        guard let sent = sentEditTime, let other else { return true }
        return min(sent, now) > other
    }

    /// Other people's values that the edit replaces. Each is a loss of its author.
    var losses: [LostEdit] {
        edited.keys.sorted().compactMap { name in
            let story = history.story(of: collection.field(name)!)
            let author = story.unseen?.origin.userID ?? (story.known == nil ? history.foreignInserter : nil)
            guard let author, name != collection.editTime?.name else { return nil }
            return LostEdit(
                userID: author, key: row.key, field: name, code: .overwritten,
                sent: history.row.values[collection.position(named: name)], kept: edited[name]!, batchID: nil)
        }
    }
}
