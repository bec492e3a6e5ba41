import SyncProtocol
import SyncStore

extension ModelTransaction {
    func changes(of key: RowKey, since base: EditBase, bytes: Int) -> BoundedList<RowChange> {
        var changes = BoundedList<RowChange>(bytes: bytes)
        for change in (state.changes[key] ?? []).filter(base.precedes).reversed() {
            if state.forgottenChanges[key]?.contains(change.version) == true {
                changes.cut()
                break
            }
            guard changes.take(change, texts: JSON.object(change.values).text.utf8.count) else { break }
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

    func trimChanges(of user: Int64, project: String, to bytes: Int) {
        let mine = state.changes.values.joined().filter { change in
            change.origin.userID == user && change.project == project
                && state.forgottenChanges[change.key]?.contains(change.version) != true
        }
        var left = bytes
        for change in mine.sorted(by: { ($0.at, $0.seq, $0.version) > ($1.at, $1.seq, $1.version) }) {
            let size = JSON.object(change.values).text.utf8.count
            guard size > LargeRecord.change else { continue }
            left -= 256 + size
            if left < 0 { state.forgottenChanges[change.key, default: []].insert(change.version) }
        }
    }

    func trimAnswers(of user: Int64, scope: String, to bytes: Int) {
        let mine = state.answers.values.filter { answer in
            answer.key.userID == user && answer.key.scope == scope
                && answer.response.utf8.count > LargeRecord.answer
        }
        var left = bytes
        for answer in mine.sorted(by: { $0.storedAt > $1.storedAt }) {
            left -= 256 + answer.response.utf8.count
            if left < 0 { state.answers[answer.key] = nil }
        }
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

    func trimInbox(of user: Int64, project: String, to bytes: Int) {
        var left = bytes
        let mine = state.inbox.filter { $0.edit.userID == user && $0.project == project }
        let old = mine.reversed().filter { entry in
            left -= 256 + entry.edit.sent.text.utf8.count + entry.edit.kept.text.utf8.count
            return left < 0
        }
        let ids = Set(old.map(\.id))
        state.inbox.removeAll { ids.contains($0.id) }
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
