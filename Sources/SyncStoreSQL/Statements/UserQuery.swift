package import SyncProtocol
package import SyncStore

/// Selects the users of a scope. `?1` is the id to begin after, `?2` the greatest number of rows.
package struct UserQuery {
    package let condition: String
    /// The values of `?3` and the following.
    package let values: [JSON]

    package init(_ scope: UserScope) {
        switch scope {
        case .everyone: (condition, values) = (" WHERE id > ?1", [])
        case .sharing(let user):
            condition = " WHERE id > ?1 AND id IN (\(UserQuery.sharing(with: "?3")) UNION SELECT ?3)"
            values = [.int(user)]
        case .members(let project):
            condition = """
                 WHERE id IN (
                  SELECT user_id FROM tidemark_access WHERE project_id = ?3 AND user_id > ?1 AND role IS NOT NULL)
                """
            values = [.string(project)]
        }
    }

    /// Selects the ids of all present members of the live projects that `user` is a member of.
    package static func sharing(with user: String) -> String {
        """
        SELECT other.user_id FROM tidemark_access mine
        JOIN tidemark_projects p ON p.id = mine.project_id AND p.is_deleted = 0
        JOIN tidemark_access other ON other.project_id = mine.project_id AND other.role IS NOT NULL
        WHERE mine.user_id = \(user) AND mine.role IS NOT NULL
        """
    }
}
