import SyncProtocol
import SyncStore

extension ModelTransaction {
    func audit(_ selection: AuditSelection, limit: Int) -> [StoredAuditEntry] {
        Array(state.audit.reversed().filter(selection.holds).prefix(limit))
    }

    func audit(_ entry: AuditEntry) {
        state.lastAuditEntry += 1
        state.audit.append(StoredAuditEntry(id: state.lastAuditEntry, entry))
    }

    func forgetAudit(before date: Instant, limit: Int) -> Int {
        let old = Set(state.audit.filter { $0.content.at < date }.prefix(limit).map(\.id))
        state.audit.removeAll { old.contains($0.id) }
        return old.count
    }
}
