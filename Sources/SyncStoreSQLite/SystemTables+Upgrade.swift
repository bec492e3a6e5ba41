import GRDB
import SyncProtocol
import SyncStore
import SyncStoreSQL

extension SystemTables {
    /// Brings tables of older versions to their present form. Runs before `statements`, in the migration's transaction.
    /// Does nothing in a new file and in one that is up to date.
    static func upgrade(_ db: Database) throws {
        if try db.tableExists("tidemark_users") {
            try add("password_hash TEXT", column: "password_hash", to: "tidemark_users", in: db)
            try addFoldedNames(db)
        }
        if try db.tableExists("tidemark_projects") {
            try add("horizon INTEGER NOT NULL DEFAULT 0", column: "horizon", to: "tidemark_projects", in: db)
            try add("floor INTEGER NOT NULL DEFAULT 0", column: "floor", to: "tidemark_projects", in: db)
            try noteEarlierCommits(db)
            try add(
                "history_floor INTEGER NOT NULL DEFAULT 0", column: "history_floor", to: "tidemark_projects", in: db)
            try add("filter_floor INTEGER NOT NULL DEFAULT 0", column: "filter_floor", to: "tidemark_projects", in: db)
            try addCommitHours(db)
        }
        if try db.tableExists("tidemark_access") { try addRoleHistory(db) }
        if try db.tableExists("tidemark_refresh_tokens") {
            try add("rotated_at INTEGER", column: "rotated_at", to: "tidemark_refresh_tokens", in: db)
        }
        if try db.tableExists("tidemark_changes") {
            try add("sightings TEXT", column: "sightings", to: "tidemark_changes", in: db)
        }
        if try db.tableExists("tidemark_devices") {
            for name in ["sent", "sent_at"] { try add("\(name) INTEGER", column: name, to: "tidemark_devices", in: db) }
        }
        if try db.tableExists("tidemark_tokens"), try !columns("tidemark_tokens", db).contains("id") {
            try numberTokens(db)
        }
    }

    /// Moves the rows of tables that were replaced, once the new tables exist.
    static func moveRows(_ db: Database) throws {
        try numberCommits(db)
        guard try db.tableExists("tidemark_batches") else { return }
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO tidemark_idempotency
                  (scope, user_id, idempotency_key, body_hash, response, stored_at)
                SELECT project_id, user_id, 'batch:' || batch_id, body_hash, response, stored_at FROM tidemark_batches;
                DROP TABLE tidemark_batches;
                """)
    }

    /// Nobody recorded when earlier commits were made. They count as made now, so nothing is purged too early.
    private static func noteEarlierCommits(_ db: Database) throws {
        guard try !db.tableExists("tidemark_commits"), try !db.tableExists("tidemark_numbers") else { return }
        try db.execute(
            sql: """
                CREATE TABLE tidemark_commits (
                  project_id TEXT NOT NULL, hour INTEGER NOT NULL, sync_seq INTEGER NOT NULL,
                  PRIMARY KEY (project_id, hour)
                ) STRICT, WITHOUT ROWID
                """)
        try db.execute(
            sql: "INSERT INTO tidemark_commits (project_id, hour, sync_seq) SELECT id, ?1, head FROM tidemark_projects",
            arguments: [WallClock.system.now().milliseconds / 3_600_000])
    }

    /// `tidemark_commits` used to include the current hour.
    private static func addCommitHours(_ db: Database) throws {
        guard try !columns("tidemark_projects", db).contains("commit_hour"),
            try !db.tableExists("tidemark_numbers")
        else { return }
        try db.execute(
            sql: """
                ALTER TABLE tidemark_projects ADD COLUMN commit_hour INTEGER;
                UPDATE tidemark_projects
                SET commit_hour = (SELECT MAX(hour) FROM tidemark_commits WHERE project_id = id);
                """)
    }

    /// `tidemark_commits` had the last commit of each hour of each project. They get numbers in the order of their
    /// hours, each at the end of its hour. Then every project gets its head under one number, as if written now.
    private static func numberCommits(_ db: Database) throws {
        guard try db.tableExists("tidemark_commits") else { return }
        try db.execute(
            sql: """
                INSERT INTO tidemark_numbers (no, project_id, sync_seq, at, audiences, changes_sight)
                SELECT 1 + ROW_NUMBER() OVER (ORDER BY hour, project_id), project_id, sync_seq,
                  (hour + 1) * 3600000 - 1, 'everyone', 1
                FROM (
                  SELECT project_id, hour, sync_seq FROM tidemark_commits
                  UNION ALL SELECT id, commit_hour, head FROM tidemark_projects WHERE commit_hour IS NOT NULL);
                """)
        let number = "(SELECT COALESCE(MAX(no), 1) + 1 FROM tidemark_numbers)"
        try db.execute(
            sql: SQLiteDialect.statements.numberHeads(as: number),
            arguments: [WallClock.system.now().milliseconds])
        try db.execute(
            sql: """
                DROP TABLE tidemark_commits;
                ALTER TABLE tidemark_projects DROP COLUMN commit_hour;
                """)
        try recallStints(db)
    }

    /// Recalls the memberships from the roles that each user had. What was before the oldest known role counts as
    /// having lasted from the beginning.
    private static func recallStints(_ db: Database) throws {
        let rows = try Row.fetchAll(db, sql: "SELECT project_id, user_id, role, history FROM tidemark_access")
        for row in rows {
            var from: SyncSeq? = row["role"] == nil ? nil : .zero
            let history = RoleHistory(row["history"] ?? "")
            if !history.steps.isEmpty { from = history.steps.first?.role == nil ? nil : .zero }
            for step in history.steps {
                if let begun = from, step.role == nil {
                    try insert(Stint(project: row["project_id"], from: begun, until: step.seq), of: row["user_id"], db)
                    from = nil
                } else if from == nil, step.role != nil {
                    from = step.seq
                }
            }
            if let from { try insert(Stint(project: row["project_id"], from: from), of: row["user_id"], db) }
        }
    }

    private static func insert(_ stint: Stint, of user: Int64, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO tidemark_stints (user_id, project_id, from_seq, until_seq) VALUES (?1, ?2, ?3, ?4)",
            arguments: [user, stint.project, stint.from.rawValue, stint.until.rawValue])
    }

    /// Tokens used to have no id, only their hash. Nothing refers to them, so the table can be replaced by a new one:
    /// https://sqlite.org/lang_altertable.html#otheralter
    private static func numberTokens(_ db: Database) throws {
        let columns = "hash, user_id, name, is_read_only, expires_at, created_at"
        try db.execute(sql: "ALTER TABLE tidemark_tokens RENAME TO tidemark_tokens_unnumbered")
        try db.execute(sql: SQLiteDialect.systemTables.tokens)
        try db.execute(
            sql: """
                INSERT INTO tidemark_tokens (\(columns))
                SELECT \(columns) FROM tidemark_tokens_unnumbered ORDER BY created_at, hash
                """)
        try db.execute(sql: "DROP TABLE tidemark_tokens_unnumbered")
    }

    /// The history begins with the present role, at the project's head.
    private static func addRoleHistory(_ db: Database) throws {
        guard try !columns("tidemark_access", db).contains("history") else { return }
        try db.execute(
            sql: """
                ALTER TABLE tidemark_access ADD COLUMN history TEXT;
                UPDATE tidemark_access SET history =
                  (SELECT head FROM tidemark_projects WHERE id = project_id) || ':' || ifnull(role, '');
                """)
    }

    private static func addFoldedNames(_ db: Database) throws {
        try add("folded_name TEXT", column: "folded_name", to: "tidemark_users", in: db)
        let sql = "SELECT id, username FROM tidemark_users WHERE folded_name IS NULL"
        for row in try Row.fetchAll(db, sql: sql) {
            try db.execute(
                sql: "UPDATE tidemark_users SET folded_name = ?2 WHERE id = ?1",
                arguments: [row[0] as Int64, Username.folded(row[1]).rawValue])
        }
    }

    private static func add(_ definition: String, column: String, to table: String, in db: Database) throws {
        guard try !columns(table, db).contains(column) else { return }
        try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(definition)")
    }

    private static func columns(_ table: String, _ db: Database) throws -> [String] {
        try db.columns(in: table).map(\.name)
    }
}
