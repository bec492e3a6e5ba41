package import SyncProtocol
package import SyncSchema

/// Projects whose creation did not finish. They count as deleted and have no row. Every other project keeps its row, as
/// a tombstone once it is deleted.
package enum UnfinishedProjects {
    fileprivate static let tables = [
        "tidemark_former_owners", "tidemark_row_counts", "tidemark_digests", "tidemark_numbers", "tidemark_stints",
        "tidemark_access",
    ]

    /// The SQL condition on a row `p` of `tidemark_projects`.
    package static func condition(_ registry: Registry) -> String {
        "p.is_deleted = 1 AND NOT EXISTS (SELECT 1 FROM \"\(registry.projects.name)\" t WHERE t.id = p.id)"
    }
}

extension SQLTransaction {
    /// The projects whose creation did not finish, and which nobody has written to since the time.
    package func unfinishedProjects(before limit: Instant) throws -> [String] {
        try all(
            """
            SELECT p.id FROM tidemark_projects p WHERE \(UnfinishedProjects.condition(registry))
              AND (SELECT COALESCE(MAX(n.at), 0) FROM tidemark_numbers n WHERE n.project_id = p.id) BETWEEN 1 AND ?1
            """, [.int(limit.milliseconds)]
        ) { $0.string(0) }
    }

    package func forgetUnfinished(_ project: String) throws {
        try touch(project)
        let condition = UnfinishedProjects.condition(registry)
        let sql = "SELECT 1 FROM tidemark_projects p WHERE \(condition) AND p.id = ?1"
        guard try first(sql, [.string(project)], { _ in true }) != nil else { return }
        for collection in registry.collections.reversed() {
            noteWrite(of: nil, in: collection)
            let rows = "\"\(collection.name)\" WHERE project_id = ?1"
            try run(
                """
                DELETE FROM tidemark_list_references
                WHERE collection = '\(collection.name)' AND row_id IN (SELECT id FROM \(rows))
                """, [.string(project)])
            try run("DELETE FROM \(rows)", [.string(project)])
        }
        for table in UnfinishedProjects.tables {
            try run("DELETE FROM \(table) WHERE project_id = ?1", [.string(project)])
        }
        try run("DELETE FROM tidemark_projects WHERE id = ?1", [.string(project)])
    }

    /// Forgets all projects whose creation did not finish. Nobody may be creating one now.
    package func forgetAllUnfinished() throws {
        let condition = UnfinishedProjects.condition(registry)
        let projects = try all("SELECT p.id FROM tidemark_projects p WHERE \(condition)") { $0.string(0) }
        for project in projects { try forgetUnfinished(project) }
    }
}
