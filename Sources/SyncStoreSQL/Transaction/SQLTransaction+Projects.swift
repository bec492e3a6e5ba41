package import SyncProtocol
import SyncSchema
package import SyncStore

extension SQLTransaction {
    package func project(_ id: String) throws -> ProjectState? {
        try touch(id)
        return try first(ProjectState.question, [.string(id)]) { ProjectState($0, of: id) }
    }

    package func access(project: String, user: Int64) throws -> Access? {
        try first(
            """
            SELECT role, widened_seq, narrowed_seq, history FROM tidemark_access WHERE user_id = ?1 AND project_id = ?2
            """, [.int(user), .string(project)]
        ) {
            Access(
                role: $0.optionalInteger(0).flatMap { Role(rawValue: Int($0)) }, widenedSeq: SyncSeq($0.integer(1)),
                narrowedSeq: SyncSeq($0.integer(2)), history: RoleHistory($0.optionalString(3) ?? ""))
        }
    }

    package func projects(of user: Int64?, after: String, limit: Int) throws -> [StoredRow] {
        let projects = registry.projects
        let sql = Self.projectList(layout(projects), isOneUsers: user != nil)
        return try records(
            sql, [.string(after), .int(Int64(limit)), user.map(JSON.int) ?? .null], of: projects)
    }

    /// Selects live projects. `?1` is the id to begin after, `?2` the greatest number of rows, `?3` the user. It starts
    /// from the user's access, so projects of others cost nothing. Nor do the user's own ones behind those that are
    /// asked for: a list is read in many small pieces, and each would look at all the rest.
    static func projectList(_ layout: TableLayout, isOneUsers: Bool) -> String {
        let mine = """
            AND id IN (
              SELECT a.project_id FROM tidemark_access a JOIN tidemark_projects p ON p.id = a.project_id
              WHERE a.user_id = ?3 AND a.project_id > ?1 AND a.role IS NOT NULL AND p.is_deleted = 0
              ORDER BY a.project_id LIMIT ?2)
            """
        let condition = isOneUsers ? mine : "AND CAST(?3 AS BIGINT) IS NULL"
        return layout.select + "id > ?1 AND is_deleted = 0 \(condition) ORDER BY id LIMIT ?2"
    }

    /// The condition on `head` refuses a number that was drawn since the project was read. Only this transaction can
    /// have drawn it, because writes of one project run one after the other.
    package func drawSeq(of project: ProjectState, shortIDs count: Int64) throws -> SyncSeq {
        let changed = try change(
            "UPDATE tidemark_projects SET head = head + 1, short_ids = short_ids + ?3 WHERE id = ?1 AND head = ?2",
            [.string(project.id), .int(project.head.rawValue), .int(count)])
        guard changed == 1 else { throw StaleProject() }
        return SyncSeq(project.head.rawValue + 1)
    }

    package func createProject(_ id: String) throws {
        try touch(id)
        try run(SQLStatements.createProject, [.string(id)])
    }

    package func setState(project: String, isArchived: Bool, isDeleted: Bool) throws {
        try touch(project)
        try run(
            "UPDATE tidemark_projects SET is_archived = ?2, is_deleted = ?3 WHERE id = ?1",
            [.string(project), .bool(isArchived), .bool(isDeleted)])
    }

    package func setAccess(project: String, user: Int64, _ access: Access) throws {
        try touch(project)
        try run(
            """
            INSERT INTO tidemark_access (project_id, user_id, role, widened_seq, narrowed_seq, history)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (user_id, project_id) DO UPDATE
            SET role = excluded.role, widened_seq = excluded.widened_seq, narrowed_seq = excluded.narrowed_seq,
              history = excluded.history
            """,
            [
                .string(project), .int(user), access.role.map { .int(Int64($0.rawValue)) } ?? .null,
                .int(access.widenedSeq.rawValue), .int(access.narrowedSeq.rawValue), .string(access.history.text),
            ])
    }

    package func counts(project: String) throws -> [String: RowCounts] {
        try touch(project)
        try settleCounters(of: project)
        let sql = "SELECT collection, live, tombstones FROM tidemark_row_counts WHERE project_id = ?1"
        let counts = try all(sql, [.string(project)]) { row in
            (row.string(0), RowCounts(live: Int(row.integer(1)), tombstones: Int(row.integer(2))))
        }
        return Dictionary(counts) { $1 }
    }

    /// Updates first, because the counter exists, except for a collection's first row.
    package func addCounts(project: String, collection: String, _ change: RowCounts) throws {
        let values: [JSON] = [
            .string(project), .string(collection), .int(Int64(change.live)), .int(Int64(change.tombstones)),
        ]
        let changed = try self.change(
            """
            UPDATE tidemark_row_counts SET live = live + ?3, tombstones = tombstones + ?4
            WHERE project_id = ?1 AND collection = ?2
            """, values)
        guard changed == 0 else { return }
        try write(
            [values],
            "INSERT INTO tidemark_row_counts (project_id, collection, live, tombstones) VALUES (?1, ?2, ?3, ?4)")
    }
}

extension ProjectState {
    /// Selects what `init` reads of the project `?1`.
    package static let question = """
        SELECT head, is_archived, is_deleted, horizon, floor, history_floor, short_ids, filter_floor
        FROM tidemark_projects WHERE id = ?1
        """

    /// Reads the state of the project `id`.
    package init(_ row: some SQLRow, of id: String) {
        self.init(
            id: id, head: SyncSeq(row.integer(0)), isArchived: row.integer(1) != 0, isDeleted: row.integer(2) != 0,
            horizon: SyncSeq(row.integer(3)), floor: SyncSeq(row.integer(4)), historyFloor: SyncSeq(row.integer(5)),
            lastShortID: row.integer(6), filterFloor: SyncSeq(row.integer(7)))
    }
}
