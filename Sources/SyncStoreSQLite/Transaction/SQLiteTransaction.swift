import GRDB
import SyncProtocol
import SyncSchema
import SyncStore

/// One transaction on the connection that it was begun on. Never leaves its closure.
struct SQLiteTransaction: WriteTransaction {
    let db: Database
    let registry: Registry
    private let layouts: [String: TableLayout]
    private let scope: StoreScope

    init(
        _ db: Database, _ registry: Registry, _ layouts: [String: TableLayout], _ scope: StoreScope = .installation
    ) {
        self.db = db
        self.registry = registry
        self.layouts = layouts
        self.scope = scope
    }

    init(_ db: Database, _ store: SQLiteStore, _ scope: StoreScope) {
        self.init(db, store.registry, store.layouts, scope)
    }

    /// SQLite needs no scopes; other stores lock by them. A debug build ends where one is left, so that every test of a
    /// service on this store is a test of its scopes.
    func requireScope(_ project: String) {
        assert(scope.covers(project), "\(scope) does not cover the project \(project).")
    }

    func layout(_ collection: Collection) -> TableLayout { layouts[collection.name]! }

    func execute(_ sql: String, _ arguments: StatementArguments) throws {
        let statement = try db.cachedStatement(sql: sql)
        try statement.execute(arguments: arguments)
    }
}

// MARK: Projects and access

extension SQLiteTransaction {
    func project(_ id: String) throws -> ProjectState? {
        requireScope(id)
        let sql = """
            SELECT head, is_archived, is_deleted, horizon, floor, history_floor, short_ids, commit_hour
            FROM tidemark_projects WHERE id = ?1
            """
        return try db.first(sql, [.string(id)]) {
            ProjectState(
                id: id, head: SyncSeq($0.integer(0)), isArchived: $0.integer(1) != 0, isDeleted: $0.integer(2) != 0,
                horizon: SyncSeq($0.integer(3)), floor: SyncSeq($0.integer(4)), historyFloor: SyncSeq($0.integer(5)),
                lastShortID: $0.integer(6), commitHour: $0.isNull(7) ? nil : $0.integer(7))
        }
    }

    func access(project: String, user: Int64) throws -> Access? {
        try db.first(
            """
            SELECT role, widened_seq, narrowed_seq, history FROM tidemark_access WHERE user_id = ?1 AND project_id = ?2
            """, [.int(user), .string(project)]
        ) {
            Access(
                role: $0.isNull(0) ? nil : Role(rawValue: Int($0.integer(0))), widenedSeq: SyncSeq($0.integer(1)),
                narrowedSeq: SyncSeq($0.integer(2)), history: RoleHistory($0.optionalString(3) ?? ""))
        }
    }

    func projects(of user: Int64?, after: String, limit: Int) throws -> [StoredRow] {
        let projects = registry.projects
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

    /// A write transaction of SQLite locks the whole file from its beginning, so that nothing but the transaction
    /// itself comes between what it read and the update.
    func drawSeq(of project: ProjectState, shortIDs count: Int64, at date: Instant) throws -> SyncSeq {
        let (hour, lastHour) = (CommitHour.of(date), project.commitHour)
        if let lastHour, lastHour < hour { try close(hour: lastHour, of: project) }
        try write(
            [[.string(project.id), .int(project.head.rawValue), .int(max(hour, lastHour ?? hour)), .int(count)]],
            """
            UPDATE tidemark_projects SET head = ?2 + 1, commit_hour = ?3, short_ids = short_ids + ?4
            WHERE id = ?1 AND head = ?2
            """)
        guard db.changesCount == 1 else { throw StaleProject() }
        return SyncSeq(project.head.rawValue + 1)
    }

    func createProject(_ id: String) throws {
        requireScope(id)
        try execute(
            "INSERT INTO tidemark_projects (id, head, floor) SELECT ?1, base, base FROM (\(RestoreJump.base) AS base)",
            [id])
    }

    func forgetUnfinished(_ project: String) throws {
        try UnfinishedProjects(registry: registry).forget(project, db)
    }

    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws {
        requireScope(project)
        try execute(
            "UPDATE tidemark_projects SET is_archived = ?2, is_deleted = ?3 WHERE id = ?1",
            [project, isArchived, isDeleted])
    }

    func setAccess(project: String, user: Int64, _ access: Access) throws {
        try execute(
            """
            INSERT INTO tidemark_access (project_id, user_id, role, widened_seq, narrowed_seq, history)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (user_id, project_id) DO UPDATE
            SET role = excluded.role, widened_seq = excluded.widened_seq, narrowed_seq = excluded.narrowed_seq,
              history = excluded.history
            """,
            [
                project, user, access.role?.rawValue, access.widenedSeq.rawValue, access.narrowedSeq.rawValue,
                access.history.text,
            ])
    }

    func counts(project: String) throws -> [String: RowCounts] {
        requireScope(project)
        let sql = "SELECT collection, live, tombstones FROM tidemark_row_counts WHERE project_id = ?1"
        let counts = try db.all(sql, [.string(project)]) { row in
            (row.string(0), RowCounts(live: Int(row.integer(1)), tombstones: Int(row.integer(2))))
        }
        return Dictionary(counts) { $1 }
    }

    /// Updates first, as the counter is there but for the first row.
    func addCounts(project: String, collection: String, _ change: RowCounts) throws {
        let values: [JSON] = [
            .string(project), .string(collection), .int(Int64(change.live)), .int(Int64(change.tombstones)),
        ]
        try write(
            [values],
            """
            UPDATE tidemark_row_counts SET live = live + ?3, tombstones = tombstones + ?4
            WHERE project_id = ?1 AND collection = ?2
            """)
        guard db.changesCount == 0 else { return }
        try write(
            [values],
            "INSERT INTO tidemark_row_counts (project_id, collection, live, tombstones) VALUES (?1, ?2, ?3, ?4)")
    }
}
