import SyncStore

/// What only operators look at.
extension SystemTables {
    /// Finds the lost edits of a project.
    package var inboxByProject: String {
        "CREATE INDEX IF NOT EXISTS tidemark_inbox_project ON tidemark_inbox (project_id, id)"
    }

    /// Find the large records of a user, the only ones that are counted. Small ones are not in the indexes.
    package var largeRecords: [String] {
        [
            """
            CREATE INDEX IF NOT EXISTS tidemark_changes_large ON tidemark_changes (project_id, user_id, at)
            WHERE \(dialect.isLarge("replaced", LargeRecord.change))
            """,
            """
            CREATE INDEX IF NOT EXISTS tidemark_idempotency_large ON tidemark_idempotency (scope, user_id, stored_at)
            WHERE \(dialect.isLarge("response", LargeRecord.answer))
            """,
        ]
    }

    /// What is known of devices: a row for each project, and one for all of them with an empty `project_id`, which also
    /// has the name and the version. Each value has the time at which it was learned, because servers merge by time.
    var devices: String {
        """
        CREATE TABLE IF NOT EXISTS tidemark_devices (
          user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
          device_id \(text) NOT NULL,
          project_id \(text) NOT NULL,
          first_seen \(integer) NOT NULL,
          last_seen \(integer) NOT NULL,
          last_upload \(integer),
          name \(text),
          name_at \(integer),
          app_version \(text),
          app_version_at \(integer),
          watermark \(integer),
          watermark_at \(integer),
          last_error \(text),
          last_error_at \(integer),
          digest \(text),
          digest_at \(integer),
          sent \(integer),
          sent_at \(integer),
          PRIMARY KEY (user_id, device_id, project_id)
        ) \(keyed)
        """
    }

    /// What was done to accounts, memberships, projects and the installation. The actor of a command has no id. Names
    /// nothing that is deleted later, so nothing keeps an entry from being there.
    package var audit: [String] {
        [
            """
            CREATE TABLE IF NOT EXISTS tidemark_audit (
              id \(assignedKey),
              at \(integer) NOT NULL,
              action \(text) NOT NULL,
              actor_id \(integer),
              actor_name \(text) NOT NULL,
              credential \(text) NOT NULL,
              address \(text),
              subject_id \(integer),
              project_id \(text),
              details \(text) NOT NULL
            ) \(plain)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_audit_at ON tidemark_audit (at)",
        ]
    }
}
