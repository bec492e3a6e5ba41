import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Tells the audit list who became a member, got another role or left, and what became of the project itself.
    func audit(_ rows: [Entry], of collection: Collection) throws {
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

    private func projectEvent(_ row: Entry, _ collection: Collection) -> Event? {
        let name = collection.position("name").map { row.current.values[$0] } ?? .null
        guard let original = row.original else { return (.projectCreated, nil, ["name": name]) }
        if row.becameDeleted { return (.projectDeleted, nil, ["name": name]) }
        guard let place = collection.position("is_archived"), original.values[place] != row.current.values[place] else {
            return nil
        }
        let isArchived = row.current.values[place] == .bool(true)
        return (isArchived ? .projectArchived : .projectUnarchived, nil, ["name": name])
    }

    /// The members that a project is created or deleted with are not told one by one.
    private func memberEvent(_ row: Entry, _ collection: Collection) -> Event? {
        guard entries[RowKey(registry.projects.name, project)]?.isNew != true, !isProjectDeleted,
            let user = collection.position("user").flatMap({ row.current.values[$0].int })
        else { return nil }
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
