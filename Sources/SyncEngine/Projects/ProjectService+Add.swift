import SyncAccounts
package import SyncProtocol
package import SyncStore

extension ProjectService {
    /// Adds rows to an existing project on behalf of `author`, whatever the author's role: one transaction, one
    /// commit, which the audit list has. The rules of every other write apply. `rows` are wire rows by collection, each
    /// with its id, without projects and memberships.
    ///
    /// Throws `not_found`, `project_deleted`, and `invalid_rows` with the rows at fault. Then nothing is stored.
    package func add(_ rows: [String: [[String: JSON]]], to project: String, by author: User) async throws {
        let now = clock.now()
        let content = ProjectContent(rows: rows, owner: author.id, members: [:])
        try await store.write(.project(project)) { transaction in
            let server = Caller(userID: author.id, username: author.username, isSuperuser: true)
            _ = try ProjectAccess(server, project: project, in: transaction)
            let draft = Draft(transaction, registry, project: project, author: author.id, now: now)
            try ContentLoader(draft: draft, content: content, newID: newID).loadRows()
            _ = try draft.commit()
            try transaction.audit(
                AuditEntry(
                    .rowsImported, by: .thisProcess, project: project,
                    details: rows.mapValues { .int(Int64($0.count)) }, at: now))
        }
    }
}
