import SyncProtocol
import SyncSchema

extension CheckQuery {
    /// Queries about the system tables.
    static func queries(of registry: Registry) -> [CheckQuery] {
        [
            CheckQuery(
                .wrongStamps, in: "tidemark_projects",
                """
                SELECT id, 'horizon or floor' FROM tidemark_projects
                WHERE horizon > head OR floor > head OR history_floor > head
                """),
            CheckQuery(
                .wrongStamps, in: "tidemark_numbers",
                """
                SELECT p.id, 'head ' || p.head FROM tidemark_projects p
                JOIN (SELECT project_id, MAX(sync_seq) AS seq FROM tidemark_numbers GROUP BY project_id) n
                  ON n.project_id = p.id
                WHERE n.seq <> p.head
                """),
            projects(registry.projects), memberships(registry.memberships), stints,
        ] + records
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
        let live = "SELECT project_id, user, role FROM \"\(collection.name)\" WHERE is_deleted = 0"
        let kept = "SELECT project_id, user_id, role FROM tidemark_access WHERE role IS NOT NULL"
        return CheckQuery(
            .wrongDerivation, in: "tidemark_access",
            """
            SELECT project_id, 'user ' || user FROM (SELECT * FROM (\(live)) EXCEPT \(kept))
            UNION SELECT project_id, 'user ' || user_id FROM (\(kept) EXCEPT SELECT * FROM (\(live)))
            """)
    }

    /// A user has a stint that lasts exactly while they are a member.
    private static let stints = CheckQuery(
        .wrongDerivation, in: "tidemark_stints",
        """
        WITH members AS (SELECT project_id, user_id FROM tidemark_access WHERE role IS NOT NULL),
          lasting AS (
            SELECT project_id, user_id FROM tidemark_stints WHERE until_seq = \(SyncSeq.maximum.rawValue))
        SELECT project_id, 'user ' || user_id FROM (SELECT * FROM members EXCEPT SELECT * FROM lasting)
        UNION SELECT project_id, 'user ' || user_id FROM (SELECT * FROM lasting EXCEPT SELECT * FROM members)
        """)

    private static let records = [
        CheckQuery(
            .wrongRecord, in: "tidemark_idempotency",
            """
            SELECT i.scope, i.idempotency_key FROM tidemark_idempotency i
            LEFT JOIN tidemark_projects p ON p.id = i.scope
            LEFT JOIN tidemark_users u ON u.id = i.user_id
            WHERE u.id IS NULL OR (i.scope <> '' AND p.id IS NULL) OR length(i.body_hash) <> 64
              OR NOT json_valid(i.response)
              OR (json_valid(i.response) AND i.idempotency_key LIKE 'batch:%'
                AND json_extract(i.response, '$.timestamp') > p.head)
            """),
        CheckQuery(
            .wrongRecord, in: "tidemark_changes",
            """
            SELECT c.project_id, c.collection || ' ' || c.row_id FROM tidemark_changes c
            LEFT JOIN tidemark_projects p ON p.id = c.project_id
            WHERE p.id IS NULL OR c.sync_seq > p.head OR c.server_version < 2 OR NOT json_valid(c.replaced)
            """),
        CheckQuery(
            .wrongRecord, in: "tidemark_inbox",
            """
            SELECT i.project_id, 'entry ' || i.id FROM tidemark_inbox i
            LEFT JOIN tidemark_projects p ON p.id = i.project_id
            LEFT JOIN tidemark_users u ON u.id = i.user_id
            WHERE p.id IS NULL OR u.id IS NULL OR NOT json_valid(i.sent) OR NOT json_valid(i.kept)
            """),
    ]
}
