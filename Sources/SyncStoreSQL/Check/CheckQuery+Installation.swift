import SyncProtocol
package import SyncSchema
import SyncStore

extension CheckQuery {
    /// Queries about the system tables. `commits` has the rows of `tidemark_numbers`, and those that will be. Without
    /// `hasFiles`, the tables of files are missing: see `FileCheck.lastTable`.
    package static func queries(
        of registry: Registry, commits: String = "tidemark_numbers", hasFiles: Bool
    ) -> [CheckQuery] {
        [
            CheckQuery(
                .wrongStamps, in: "tidemark_projects",
                """
                SELECT id, 'horizon or floor' FROM tidemark_projects
                WHERE horizon > head OR floor > head OR history_floor > head OR filter_floor > head
                """),
            CheckQuery(
                .wrongStamps, in: "tidemark_numbers",
                """
                SELECT p.id, 'head ' || p.head FROM tidemark_projects p
                JOIN (SELECT project_id, MAX(sync_seq) AS seq FROM \(commits) GROUP BY project_id) n
                  ON n.project_id = p.id
                WHERE n.seq <> p.head
                """),
            projects(registry.projects), memberships(registry.memberships), stints,
        ] + records + (hasFiles ? files(of: registry) : [])
    }

    private static func projects(_ collection: Collection) -> CheckQuery {
        let archived = collection.field("is_archived") == nil ? "p.is_archived" : "COALESCE(t.is_archived, 0)"
        return CheckQuery(
            .wrongDerivation, in: "tidemark_projects",
            """
            SELECT p.id, p.id FROM tidemark_projects p LEFT JOIN "\(collection.name)" t ON t.id = p.id
            WHERE (t.id IS NULL AND p.is_deleted = 0) OR p.is_deleted <> t.is_deleted OR p.is_archived <> \(archived)
            """)
    }

    private static func memberships(_ collection: Collection) -> CheckQuery {
        let live = "SELECT project_id, \"user\", role FROM \"\(collection.name)\" WHERE is_deleted = 0"
        let kept = "SELECT project_id, user_id, role FROM tidemark_access WHERE role IS NOT NULL"
        return CheckQuery(
            .wrongDerivation, in: "tidemark_access",
            """
            SELECT project_id, 'user ' || "user" FROM (\(live) EXCEPT \(kept)) AS a
            UNION SELECT project_id, 'user ' || user_id FROM (\(kept) EXCEPT \(live)) AS b
            """)
    }

    /// A user has a stint that lasts exactly while they are a member.
    private static let stints = CheckQuery(
        .wrongDerivation, in: "tidemark_stints",
        """
        WITH members AS (SELECT project_id, user_id FROM tidemark_access WHERE role IS NOT NULL),
          lasting AS (
            SELECT project_id, user_id FROM tidemark_stints WHERE until_seq = \(SyncSeq.maximum.rawValue))
        SELECT project_id, 'user ' || user_id FROM (SELECT * FROM members EXCEPT SELECT * FROM lasting) AS a
        UNION SELECT project_id, 'user ' || user_id FROM (SELECT * FROM lasting EXCEPT SELECT * FROM members) AS b
        """)

    /// The answers that are kept, the history and the inboxes. Whether a text is JSON is not asked in SQL, because
    /// PostgreSQL before 16 can't tell.
    private static let records = [
        CheckQuery(
            .wrongRecord, in: "tidemark_idempotency",
            """
            SELECT i.scope, i.idempotency_key, i.response, p.head,
              CASE WHEN u.id IS NULL OR (i.scope <> '' AND p.id IS NULL) OR length(i.body_hash) <> 64
                THEN 1 ELSE 0 END
            FROM tidemark_idempotency i
            LEFT JOIN tidemark_projects p ON p.id = i.scope
            LEFT JOIN tidemark_users u ON u.id = i.user_id
            """, columns: 3
        ) { row in
            guard row.integer(4) == 0, let response = try? JSON(parsing: row.text(2)) else { return true }
            guard row.string(1).hasPrefix("batch:"), let timestamp = response["timestamp"]?.int else { return false }
            return row.optionalInteger(3).map { timestamp > $0 } ?? false
        },
        CheckQuery(
            .wrongRecord, in: "tidemark_changes",
            """
            SELECT c.project_id, c.collection || ' ' || c.row_id, c.replaced,
              CASE WHEN p.id IS NULL OR c.sync_seq > p.head OR c.server_version < 2 THEN 1 ELSE 0 END
            FROM tidemark_changes c LEFT JOIN tidemark_projects p ON p.id = c.project_id
            """, columns: 2
        ) { row in
            row.integer(3) != 0 || !row.isJSON(2)
        },
        CheckQuery(
            .wrongRecord, in: "tidemark_inbox",
            """
            SELECT i.project_id, 'entry ' || i.id, i.sent, i.kept,
              CASE WHEN (i.project_id <> '' AND p.id IS NULL) OR u.id IS NULL THEN 1 ELSE 0 END
            FROM tidemark_inbox i
            LEFT JOIN tidemark_projects p ON p.id = i.project_id
            LEFT JOIN tidemark_users u ON u.id = i.user_id
            """, columns: 3
        ) { row in
            row.integer(4) != 0 || !row.isJSON(2) || !row.isJSON(3)
        },
    ]
}

extension SQLRow {
    fileprivate func isJSON(_ column: Int32) -> Bool { (try? JSON(parsing: text(column))) != nil }
}

/// The collections that a database's tables were made for, as its settings say.
package enum RecordedSchemas {
    package static func registry(_ setting: String?) throws -> Registry {
        let documents = try JSON(parsing: setting ?? "").array ?? []
        return try Registry(documents: documents.map { ($0["title"]?.string ?? "", $0) })
    }
}
