import SyncProtocol
import SyncSchema
import SyncStore

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
