package import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore

/// What the caller may do in a project, read in the transaction that uses it.
package struct ProjectAccess: Sendable, Equatable {
    package let caller: Caller
    package let project: ProjectState
    package let role: Role
    /// The commit at which the caller's role last rose. A drain from before it serves gated collections from 0.
    package let widenedSeq: SyncSeq
    /// The commit at which the caller's role last fell below a gate's role. A drain
    /// from before it takes back the rows that the fall hid.
    package let narrowedSeq: SyncSeq
    let history: RoleHistory

    /// Throws, in this order: `not_found`, `project_deleted`, `membership_revoked` or `not_a_member`. Reads the same
    /// whatever it throws.
    package init(_ caller: Caller, project id: String, in transaction: any ReadTransaction) throws {
        guard RowID.isValid(id) else { throw ProjectAccess.missing }
        let state = try transaction.project(id)
        let access = try transaction.access(project: id, user: caller.userID)
        guard let project = state else { throw ProjectAccess.missing }
        guard !project.isDeleted else {
            throw Problem(.projectDeleted, "The project was deleted. Keep unsent edits aside and drop its rows.")
        }
        self.caller = caller
        self.project = project
        role = try ProjectAccess.role(caller, access)
        widenedSeq = access?.widenedSeq ?? .zero
        narrowedSeq = access?.narrowedSeq ?? .zero
        history = access?.history ?? .none
    }

    private static let missing = Problem(.notFound, "There is no project with this id.")

    /// The same; nil in place of a problem. Errors of the store are thrown.
    static func ifVisible(
        _ caller: Caller, project id: String, in transaction: any ReadTransaction
    ) throws -> ProjectAccess? {
        do { return try ProjectAccess(caller, project: id, in: transaction) } catch is Problem { return nil }
    }

    /// The access of a caller who makes the project: its owner.
    init(_ caller: Caller, making project: String) {
        self.caller = caller
        self.project = ProjectState(id: project, head: .zero, isArchived: false, isDeleted: false)
        role = .owner
        (widenedSeq, narrowedSeq, history) = (.zero, .zero, .none)
    }

    private static func role(_ caller: Caller, _ access: Access?) throws -> Role {
        if caller.isSuperuser { return .owner }
        guard let access else { throw Problem(.notAMember, "You are not a member of this project.") }
        guard let role = access.role else {
            throw Problem(
                .membershipRevoked,
                "You are no longer a member of this project. Keep unsent edits aside and drop its rows.")
        }
        return role
    }

    /// Throws `read_only_token`, then `forbidden` if the role is too low, then `project_archived` unless `evenArchived`
    /// is true. `what` begins the sentence that says which role is needed.
    package func requireWrite(_ needed: Role?, to what: String, evenArchived: Bool = false) throws {
        try caller.requireWrite()
        if let violation = violation(of: needed, to: what) { throw Problem(violation.code, violation.detail) }
        guard evenArchived || !project.isArchived else {
            throw Problem(.projectArchived, "The project is archived. An owner can unarchive it.")
        }
    }

    /// What is wrong with a write that takes the role `needed`, nil for any role; nil if the caller's is high enough.
    func violation(of needed: Role?, to what: String) -> Violation? {
        guard let needed, role < needed else { return nil }
        return Violation(nil, .forbidden, "\(what) needs the role \(needed.word) or above; yours is \(role.word).")
    }

    /// Throws `since_ahead` or `since_expired` if a drain can't start from the watermark. It can always start from 0.
    package func requireServable(_ watermark: SyncSeq) throws {
        guard watermark > .zero else { return }
        guard watermark <= project.head, watermark >= project.floor else {
            throw Problem(
                .sinceAhead,
                """
                \(watermark) is not in this project's history, which goes from \(project.floor) to \(project.head): \
                the server was restored, or the number is another project's. Resync from 0.
                """,
                members: ["head": .int(project.head.rawValue)])
        }
        guard watermark >= project.horizon else {
            throw Problem(
                .sinceExpired, "Deletions after \(watermark) are no longer known to the server. Resync from 0.")
        }
    }
}
