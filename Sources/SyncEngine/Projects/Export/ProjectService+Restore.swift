import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore

extension ProjectService {
    /// What became of an export.
    package struct Restored: Sendable {
        package let project: String
        package let counts: [String: Int]
        /// Accounts that were made, disabled.
        package let newUsers: [ExactText]
        /// References to users who are no members, and so were left out.
        package let clearedReferences: Int
    }

    /// Makes a project of an export, in one transaction. Users are known by their names; those that are missing get an
    /// account, disabled, so that what they wrote stays theirs. With `addsMembers` everybody keeps their former role,
    /// else the owner is alone.
    ///
    /// Throws `id_unavailable` where an id is taken, and `invalid_rows`, each with the rows at fault.
    package func restore(_ export: ExportedProject, owner: User, addsMembers: Bool) async throws -> Restored {
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
            // Names that are alike are two people's, as they were where they come from.
            guard AccountNaming.isValid(name.rawValue) else {
                throw Problem(.invalidRows, "The export names a user \(name), which is no user name.")
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
