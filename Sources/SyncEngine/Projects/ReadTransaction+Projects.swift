import SyncProtocol
import SyncStore

extension ReadTransaction {
    /// For the operator's commands. Throws `not_found` and `project_deleted`.
    func requireLive(_ project: String) throws {
        guard RowID.isValid(project), let state = try self.project(project) else {
            throw Problem(.notFound, "There is no project \(project). See which there are: tidemark project list")
        }
        guard !state.isDeleted else { throw Problem(.projectDeleted, "The project \(project) was deleted.") }
    }

    /// All live projects of a user, or of everybody, by id.
    func allProjects(of user: Int64?) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        while true {
            let page = try projects(of: user, after: rows.last?.id ?? "", limit: 100)
            rows += page
            if page.count < 100 { return rows }
        }
    }
}
