import SyncProtocol
import SyncStore

extension ModelTransaction {
    func changes(of key: RowKey, since base: EditBase, bytes: Int) -> BoundedList<RowChange> {
        var changes = BoundedList<RowChange>(bytes: bytes)
        for change in (state.changes[key] ?? []).filter(base.precedes).reversed() {
            guard changes.take(change, texts: JSON.object(change.replaced).text.utf8.count) else { break }
        }
        return changes
    }

    func remember(_ changes: [RowChange]) {
        for change in changes { state.changes[change.key, default: []].append(change) }
    }

    func note(_ sighting: RowChange.Sighting, of key: RowKey, at version: ServerVersion) {
        guard let index = state.changes[key]?.firstIndex(where: { $0.version == version }) else { return }
        _ = state.changes[key]?[index].sightings.note(sighting)
    }

    func forgetChanges(before date: Instant, limit: Int) -> Int {
        let old = state.changes.values.joined().filter { $0.at < date }.sorted { $0.at < $1.at }.prefix(limit)
        for change in old {
            let floor = state.projects[change.project]!.historyFloor
            state.projects[change.project]!.historyFloor = max(floor, change.seq.rawValue)
            state.changes[change.key]?.removeAll { $0.version == change.version }
        }
        return old.count
    }

    func inbox(
        of user: Int64, project: String?, since date: Instant, after: Int64, limit: Int, bytes: Int
    ) -> BoundedList<InboxEntry> {
        let mine = state.inbox.filter { $0.edit.userID == user && (project == nil || $0.project == project) }
        var entries = BoundedList<InboxEntry>(bytes: bytes)
        for entry in mine where entry.id > after && entry.at >= date {
            let texts = entry.edit.sent.text.utf8.count + entry.edit.kept.text.utf8.count
            guard entries.take(entry, texts: texts) else { break }
        }
        entries.cut(to: limit)
        return entries
    }

    func lostEdits(_ selection: LostEditSelection, limit: Int) -> [LostEditNote] {
        let selected = state.inbox.reversed().filter { entry in
            entry.at >= selection.since && selection.before.map { entry.id < $0 } ?? true
                && selection.user.map { entry.edit.userID == $0 } ?? true
                && selection.project.map { entry.project == $0 } ?? true
        }
        return selected.prefix(limit).map { entry in
            LostEditNote(
                id: entry.id, project: entry.project, user: entry.edit.userID, key: entry.edit.key,
                field: entry.edit.field, code: entry.edit.code, batchID: entry.edit.batchID, at: entry.at)
        }
    }

    func addToInbox(_ edits: [LostEdit], project: String, at: Instant) {
        for edit in edits {
            state.inbox.removeAll { $0.project == project && $0.edit.isSameLoss(as: edit) }
            state.lastInboxEntry += 1
            state.inbox.append(InboxEntry(id: state.lastInboxEntry, project: project, edit: edit, at: at))
        }
    }

    func dismiss(_ selection: InboxSelection, of user: Int64, project: String?) -> Bool {
        let before = state.inbox.count
        state.inbox.removeAll {
            $0.edit.userID == user && (project == nil || $0.project == project)
                && [.entry($0.id), .row($0.edit.key.id)].contains(selection)
        }
        return state.inbox.count < before
    }

    func forgetInbox(before date: Instant, limit: Int) -> Int {
        let old = Set(state.inbox.filter { $0.at < date }.prefix(limit).map(\.id))
        state.inbox.removeAll { old.contains($0.id) }
        return old.count
    }
}

extension LostEdit {
    fileprivate func isSameLoss(as other: LostEdit) -> Bool {
        (userID, key, field, code, sent) == (other.userID, other.key, other.field, other.code, other.sent)
    }
}
