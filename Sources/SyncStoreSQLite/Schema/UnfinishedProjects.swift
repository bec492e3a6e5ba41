import GRDB
import SyncSchema

/// Projects whose creation did not finish. They count as deleted and have no row. Every other project keeps its row, as
/// a tombstone once it is deleted.
struct UnfinishedProjects {
    private static let tables = [
        "tidemark_former_owners", "tidemark_row_counts", "tidemark_digests", "tidemark_numbers", "tidemark_stints",
        "tidemark_access",
    ]

    let registry: Registry

    /// Removes everything that is stored for the project if it is one of these; with nil, for all of them.
    func forget(_ project: String? = nil, _ db: Database) throws {
        for id in try ids(db) where project.map({ $0 == id }) ?? true { try remove(id, db) }
    }

    /// The SQL condition on a row `p` of `tidemark_projects`.
    static func condition(_ registry: Registry) -> String {
        "p.is_deleted = 1 AND NOT EXISTS (SELECT 1 FROM \"\(registry.projects.name)\" t WHERE t.id = p.id)"
    }

    private func ids(_ db: Database) throws -> [String] {
        let condition = UnfinishedProjects.condition(registry)
        return try String.fetchAll(db, sql: "SELECT p.id FROM tidemark_projects p WHERE \(condition)")
    }

    private func remove(_ project: String, _ db: Database) throws {
        for collection in registry.collections.reversed() {
            let rows = "\"\(collection.name)\" WHERE project_id = ?"
            try db.execute(
                sql: """
                    DELETE FROM tidemark_list_references
                    WHERE collection = '\(collection.name)' AND row_id IN (SELECT id FROM \(rows))
                    """, arguments: [project])
            try db.execute(sql: "DELETE FROM \(rows)", arguments: [project])
        }
        for table in UnfinishedProjects.tables {
            try db.execute(sql: "DELETE FROM \(table) WHERE project_id = ?", arguments: [project])
        }
        try db.execute(sql: "DELETE FROM tidemark_projects WHERE id = ?", arguments: [project])
    }
}
