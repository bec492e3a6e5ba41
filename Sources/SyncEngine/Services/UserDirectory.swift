package import SyncAccounts
package import SyncProtocol
package import SyncStore

/// Finds users, as far as the caller may know of them.
package struct UserDirectory<Store: SyncStore>: Sendable {
    private let store: Store

    package init(store: Store) { self.store = store }

    /// A query for users.
    package struct Question: Sendable {
        /// Only members of this project.
        package var project: String?
        /// Only the user with exactly this name.
        package var username: String?
        /// Only users with a greater id.
        package var after: Int64
        package var limit: Int

        package init(project: String? = nil, username: String? = nil, after: Int64 = 0, limit: Int) {
            self.project = project
            self.username = username
            self.after = after
            self.limit = limit
        }
    }

    /// The account that the credential belongs to. Throws `unauthorized` if it no longer exists.
    package func account(of caller: Caller) async throws -> JSON {
        guard let user = try await store.read(.user(caller.userID), { try $0.user(id: caller.userID) }) else {
            throw Problem(.unauthorized, "The account no longer exists.")
        }
        return .object((user.json.object ?? [:]).merging(["is_superuser": .bool(user.isSuperuser)]) { $1 })
    }

    /// Users ordered by id: the caller, and everybody who shares a live
    /// project with the caller; for a superuser, all users.
    ///
    /// A caller who is ADMIN or above in some project finds any user by the exact name, because adding a member needs
    /// the id. Throws what `ProjectAccess` throws.
    package func list(_ question: Question, for caller: Caller) async throws -> [JSON] {
        let asked = question.project.map(StoreScope.project) ?? .user(caller.userID)
        return try await store.read(asked) { transaction in
            if let project = question.project { _ = try ProjectAccess(caller, project: project, in: transaction) }
            let users =
                if let username = question.username {
                    try user(named: username, question: question, by: caller, in: transaction)
                } else {
                    try transaction.users(scope(question, caller), after: question.after, limit: question.limit)
                }
            return users.map(\.json)
        }
    }

    private func scope(_ question: Question, _ caller: Caller) -> UserScope {
        if let project = question.project { return .members(of: project) }
        return caller.isSuperuser ? .everyone : .sharing(with: caller.userID)
    }

    private func user(
        named username: String, question: Question, by caller: Caller, in transaction: any ReadTransaction
    ) throws -> [User] {
        guard let user = try transaction.user(typed: username), user.id > question.after else { return [] }
        if let project = question.project {
            return try transaction.access(project: project, user: user.id)?.role == nil ? [] : [user]
        }
        return try mayFind(user, by: caller, in: transaction) ? [user] : []
    }

    private func mayFind(_ user: User, by caller: Caller, in transaction: any ReadTransaction) throws -> Bool {
        if caller.isSuperuser || user.id == caller.userID { return true }
        if let role = try transaction.highestRole(of: caller.userID), role >= .admin { return true }
        return try transaction.shareProject(caller.userID, user.id)
    }
}

extension User {
    /// What others may know of an account.
    var json: JSON {
        ["id": .int(id), "username": .string(username.rawValue), "display_name": .string(displayName)]
    }
}
