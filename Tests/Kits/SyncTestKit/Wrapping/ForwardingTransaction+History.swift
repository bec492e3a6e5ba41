import SyncProtocol
import SyncStore

extension ForwardingTransaction {
    func changes(of key: RowKey, since base: EditBase, bytes: Int) throws -> BoundedList<RowChange> {
        try forward { try $0.changes(of: key, since: base, bytes: bytes) }
    }
    func remember(_ changes: [RowChange]) throws { try forward { try $0.remember(changes) } }
    func note(_ sighting: RowChange.Sighting, of key: RowKey, at version: ServerVersion) throws {
        try forward { try $0.note(sighting, of: key, at: version) }
    }
    func forgetChanges(before date: Instant, limit: Int) throws -> Int {
        try forward { try $0.forgetChanges(before: date, limit: limit) }
    }

    func trimChanges(of user: Int64, project: String, to bytes: Int) throws {
        try forward { try $0.trimChanges(of: user, project: project, to: bytes) }
    }
    func trimAnswers(of user: Int64, scope: String, to bytes: Int) throws {
        try forward { try $0.trimAnswers(of: user, scope: scope, to: bytes) }
    }

    func inbox(
        of user: Int64, project: String?, since date: Instant, after: Int64, limit: Int, bytes: Int
    ) throws -> BoundedList<InboxEntry> {
        try forward {
            try $0.inbox(of: user, project: project, since: date, after: after, limit: limit, bytes: bytes)
        }
    }
    func trimInbox(of user: Int64, project: String, to bytes: Int) throws {
        try forward { try $0.trimInbox(of: user, project: project, to: bytes) }
    }
    func dismiss(_ selection: InboxSelection, of user: Int64, project: String?) throws -> Bool {
        try forward { try $0.dismiss(selection, of: user, project: project) }
    }
    func forgetInbox(before date: Instant, limit: Int) throws -> Int {
        try forward { try $0.forgetInbox(before: date, limit: limit) }
    }

    func audit(_ selection: AuditSelection, limit: Int) throws -> [StoredAuditEntry] {
        try forward { try $0.audit(selection, limit: limit) }
    }
    func audit(_ entry: AuditEntry) throws { try forward { try $0.audit(entry) } }
    func forgetAudit(before date: Instant, limit: Int) throws -> Int {
        try forward { try $0.forgetAudit(before: date, limit: limit) }
    }
}
