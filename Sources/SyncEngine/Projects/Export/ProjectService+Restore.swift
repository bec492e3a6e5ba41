import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore

extension ProjectService {
    /// The result of restoring an export.
    package struct Restored: Sendable {
        package let project: String
        package let counts: [String: Int]
        /// Accounts that were created. They are disabled.
        package let newUsers: [ExactText]
        /// Number of references that were cleared because the user is not a member.
        package let clearedReferences: Int
    }

    /// Creates a project from an export, in one transaction. Users are matched by name. Missing users get
    /// a disabled account, so what they wrote stays theirs. With `addsMembers`, everybody keeps their
    /// former role; otherwise the owner is the only member.
    ///
    /// Throws `id_unavailable` if an id is taken, and `invalid_rows`, each with the rows at fault, or if the export is
    /// not whole.
    package func restore(_ export: ExportedProject, owner: User, addsMembers: Bool) async throws -> Restored {
        try export.requireWhole()
        let now = clock.now()
        return try await store.write(.accountsAndProjects([export.projectID])) { transaction in
            let (ids, made) = try users(of: export, transaction, now)
            var members: [Int64: Role] = [:]
            if addsMembers {
                for (name, role) in export.roles { if let id = ids[name] { members[id] = role } }
            }
            let (content, cleared) = export.content(owner: owner.id, members: members, ids: ids)
            let project = try create(content, transaction, now)
            return Restored(
                project: project.id, counts: content.rows.mapValues(\.count), newUsers: made, clearedReferences: cleared
            )
        }
    }

    private func users(
        of export: ExportedProject, _ transaction: any WriteTransaction, _ now: Instant
    ) throws -> (ids: [ExactText: Int64], made: [ExactText]) {
        var (ids, made): ([ExactText: Int64], [ExactText]) = ([:], [])
        for (name, displayName) in export.users.sorted(by: { $0.key < $1.key }) {
            if let user = try transaction.user(named: name) {
                ids[name] = user.id
                continue
            }
            // Similar names belong to different people, as they did on the server that they come from.
            guard AccountNaming.isValid(name.rawValue) else {
                throw Problem(.invalidRows, "The export names a user \(name), which is not a valid user name.")
            }
            let user = try transaction.createUser(
                username: name, displayName: try AccountNaming.displayName(displayName), isSuperuser: false, at: now)
            try transaction.setDisabled(true, user: user.id)
            ids[name] = user.id
            made.append(name)
        }
        return (ids, made)
    }
}
