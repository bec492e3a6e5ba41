import SyncProtocol
import SyncStore

extension ReadTransaction {
    /// Throws `not_found` or `project_deleted` unless the project is live. For the operator's commands.
    func requireLive(_ project: String) throws {
        guard RowID.isValid(project), let state = try self.project(project) else {
            throw Problem(.notFound, "There is no project \(project). To list the projects: tidemark project list")
        }
        guard !state.isDeleted else { throw Problem(.projectDeleted, "The project \(project) was deleted.") }
    }

    /// All live projects of a user, or of everybody if `user` is nil, ordered by id.
    func allProjects(of user: Int64?) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        while true {
            let page = try projects(of: user, after: rows.last?.id ?? "", limit: 100)
            rows += page
            if page.count < 100 { return rows }
        }
    }
}
