import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

extension MemberService {
    /// Changes the display name of a user, in the account and in the live memberships of every
    /// live project: one transaction, with one commit per project. Returns the number of projects
    /// that changed. Throws `not_found`, `bad_format`.
    @discardableResult
    package func rename(_ username: String, displayName: String) async throws -> Int {
        let name = try AccountNaming.displayName(displayName)
        let now = clock.now()
        return try await changeEverywhere(username) { user, projects, transaction in
            try transaction.setDisplayName(name, user: user.id)
            try transaction.audit(
                AuditEntry(
                    .userRenamed, by: actor, subject: user.id,
                    details: ["before": .string(user.displayName), "after": .string(name)], at: now))
            return try projects.map(\.id).filter { project in
                let draft = Draft(transaction, registry, project: project, author: user.id, now: now)
                try Membership.rename(user.id, to: name, in: draft)
                return try draft.commit() != nil
            }.count
        }
    }
}

extension Membership {
    /// Writes the name into the user's live membership, if the schema keeps the name there.
    fileprivate static func rename(_ user: Int64, to name: String, in draft: Draft) throws {
        let memberships = draft.registry.memberships
        guard let field = memberships.fields.first(where: { $0.serverValue == .displayName }),
            let row = try draft.liveRecords(in: memberships, where: memberships.field(named: "user"), holds: .int(user))
                .first
        else { return }
        try draft.set(field, of: RowKey(memberships.name, row.id), to: .string(name))
    }
}
