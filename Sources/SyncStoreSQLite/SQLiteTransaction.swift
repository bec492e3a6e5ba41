import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema

/// One transaction on the connection that it was begun on. Never leaves its closure.
struct SQLiteTransaction: WriteTransaction {
    let db: Database
    let store: SQLiteStore

    init(_ db: Database, _ store: SQLiteStore) {
        self.db = db
        self.store = store
    }

    func layout(_ collection: Collection) -> TableLayout { store.layouts[collection.name]! }

    func execute(_ sql: String, _ arguments: StatementArguments) throws {
        let statement = try db.cachedStatement(sql: sql)
        try statement.execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(try db.cachedStatement(sql: sql), arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(try db.cachedStatement(sql: sql), arguments: arguments)
    }
}

// MARK: Projects and access

extension SQLiteTransaction {
    func project(_ id: String) throws -> ProjectState? {
        let sql = "SELECT head, is_archived, is_deleted, history_floor FROM tidemark_projects WHERE id = ?1"
        return try row(sql, [id]).map {
            ProjectState(
                id: id, head: SyncSeq($0[0]), isArchived: $0[1], isDeleted: $0[2], historyFloor: SyncSeq($0[3]))
        }
    }

    func access(project: String, user: Int64) throws -> Access? {
        try row(
            "SELECT role, widened_seq, narrowed_seq FROM tidemark_access WHERE user_id = ?1 AND project_id = ?2",
            [user, project]
        ).map {
            Access(
                role: ($0[0] as Int?).flatMap(Role.init(rawValue:)), widenedSeq: SyncSeq($0[1]),
                narrowedSeq: SyncSeq($0[2]))
        }
    }

    func projects(of user: Int64?, after: String, limit: Int) throws -> [StoredRow] {
        let projects = store.registry.projects
        let sql = SQLiteTransaction.projectList(layout(projects), isOneUsers: user != nil)
        return try records(
            sql, [.string(after), .int(Int64(limit)), user.map(JSON.int) ?? .null], of: projects)
    }

    /// `?1` is the id behind which to begin, `?2` the most rows, `?3` the user. Found by the user's access, so that the
    /// projects of others cost nothing.
    static func projectList(_ layout: TableLayout, isOneUsers: Bool) -> String {
        let mine = """
            AND id IN (
              SELECT project_id FROM tidemark_access WHERE user_id = ?3 AND project_id > ?1 AND role IS NOT NULL)
            """
        return layout.select + "id > ?1 AND is_deleted = 0 \(isOneUsers ? mine : "AND ?3 IS NULL") ORDER BY id LIMIT ?2"
    }

    func drawSeq(project: String) throws -> SyncSeq {
        let drawn = try row("UPDATE tidemark_projects SET head = head + 1 WHERE id = ?1 RETURNING head", [project])
        guard let drawn else { throw Problem(.notFound, "There is no project \(project).") }
        return SyncSeq(drawn[0])
    }

    func drawShortID(project: String) throws -> Int64 {
        let sql = "UPDATE tidemark_projects SET short_ids = short_ids + 1 WHERE id = ?1 RETURNING short_ids"
        guard let drawn = try row(sql, [project]) else { throw Problem(.notFound, "There is no project \(project).") }
        return drawn[0]
    }

    func createProject(_ id: String) throws {
        try execute("INSERT INTO tidemark_projects (id, head) VALUES (?1, 0)", [id])
    }

    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws {
        try execute(
            "UPDATE tidemark_projects SET is_archived = ?2, is_deleted = ?3 WHERE id = ?1",
            [project, isArchived, isDeleted])
    }

    func setAccess(project: String, user: Int64, _ access: Access) throws {
        try execute(
            """
            INSERT INTO tidemark_access (project_id, user_id, role, widened_seq, narrowed_seq) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (user_id, project_id) DO UPDATE
            SET role = excluded.role, widened_seq = excluded.widened_seq, narrowed_seq = excluded.narrowed_seq
            """,
            [project, user, access.role?.rawValue, access.widenedSeq.rawValue, access.narrowedSeq.rawValue])
    }

    func counts(project: String) throws -> [String: RowCounts] {
        let rows = try rows(
            "SELECT collection, live, tombstones FROM tidemark_row_counts WHERE project_id = ?1", [project])
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], RowCounts(live: $0[1], tombstones: $0[2])) })
    }

    /// Inserts an empty counter first: a CHECK judges the row to be inserted before ON CONFLICT looks at it.
    func addCounts(project: String, collection: String, _ change: RowCounts) throws {
        try execute(
            """
            INSERT INTO tidemark_row_counts (project_id, collection, live, tombstones) VALUES (?1, ?2, 0, 0)
            ON CONFLICT (project_id, collection) DO NOTHING
            """, [project, collection])
        try execute(
            """
            UPDATE tidemark_row_counts SET live = live + ?3, tombstones = tombstones + ?4
            WHERE project_id = ?1 AND collection = ?2
            """, [project, collection, change.live, change.tombstones])
    }
}
