import SyncProtocol
import SyncSchema
import SyncStore

/// Puts into words whether a user may read a project.
struct AccessReasons {
    let transaction: any ReadTransaction
    let registry: Registry
    let user: User
    let project: String

    private typealias Reason = Explanation.Reason

    private var authors: CommitAuthors {
        CommitAuthors(transaction: transaction, registry: registry, project: project)
    }

    private var name: String { user.username.rawValue }

    /// By what the user may read it.
    func access(_ access: ProjectAccess) throws -> [Explanation.Reason] {
        let reason = user.isSuperuser ? superuser : try member(access)
        guard access.project.isArchived else { return [reason] }
        return [reason, Reason(.projectArchived, "The project is archived: it can be read, but not changed.")]
    }

    private var superuser: Reason {
        Reason(.superuser, "\(name) is a superuser, and counts as OWNER in every project.")
    }

    private func member(_ access: ProjectAccess) throws -> Reason {
        let begin = try transaction.stints(of: user.id, in: project).last { $0.until == .maximum }?.from
        let decision = try begin.map { try authors.decision(of: $0, onMembershipOf: user.id) }
        return Reason(
            .member, "\(name) is a member of the project, with the role \(access.role.word).", decision)
    }

    /// Why the user may not: by the code that the user's requests are refused with.
    func refusal(_ code: ErrorCode) throws -> Explanation.Reason {
        switch code {
        case .projectDeleted: Reason(.projectDeleted, "The project was deleted.", try projectDeletion())
        case .membershipRevoked:
            Reason(.membershipRevoked, "\(name) is no longer a member of the project.", try membershipEnd())
        case .notAMember: Reason(.notAMember, "\(name) never was a member of the project.")
        default: Reason(.noSuchProject, "There is no project \(project).")
        }
    }

    private func projectDeletion() throws -> Explanation.Decision? {
        let row = try transaction.record(RowKey(registry.projects.name, project))
        return try row.map { try authors.deletion(of: $0, in: registry.projects) }
    }

    private func membershipEnd() throws -> Explanation.Decision? {
        let end = try transaction.stints(of: user.id, in: project).last?.until
        return try end.map { try authors.decision(of: $0, onMembershipOf: user.id) }
    }
}
