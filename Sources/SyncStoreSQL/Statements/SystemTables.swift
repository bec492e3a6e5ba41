import SyncStore

/// The tables beside the collections': the data of the installation, and data that the draft derives from synced rows.
package struct SystemTables: Sendable {
    let dialect: any SQLDialect

    package init(_ dialect: any SQLDialect) { self.dialect = dialect }

    var integer: String { dialect.integer }
    var text: String { dialect.text }
    var flag: String { dialect.boolean }
    var assignedKey: String { dialect.assignedKey }
    var plain: String { dialect.tableOptions }
    var keyed: String { dialect.keyedTableOptions }

    /// Makes the tables and their indexes where they are missing.
    package var statements: [String] {
        [
            """
            CREATE TABLE IF NOT EXISTS tidemark_settings (
              name \(text) NOT NULL PRIMARY KEY,
              value \(text) NOT NULL
            ) \(keyed)
            """,
            // `head` is the number of the project's last commit. The transaction that
            // raises it also writes the rows.
            """
            CREATE TABLE IF NOT EXISTS tidemark_projects (
              id \(text) NOT NULL PRIMARY KEY,
              head \(integer) NOT NULL CHECK (head >= 0),
              short_ids \(integer) NOT NULL DEFAULT 0,
              is_archived \(flag) NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
              is_deleted \(flag) NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
              horizon \(integer) NOT NULL DEFAULT 0,
              floor \(integer) NOT NULL DEFAULT 0,
              history_floor \(integer) NOT NULL DEFAULT 0,
              filter_floor \(integer) NOT NULL DEFAULT 0
            ) \(keyed)
            """,
            """
            CREATE TABLE IF NOT EXISTS tidemark_users (
              id \(assignedKey),
              username \(text) NOT NULL UNIQUE,
              display_name \(text) NOT NULL,
              is_superuser \(flag) NOT NULL CHECK (is_superuser IN (0, 1)),
              is_disabled \(flag) NOT NULL DEFAULT 0 CHECK (is_disabled IN (0, 1)),
              created_at \(text) NOT NULL,
              password_hash \(text),
              folded_name \(text)
            ) \(plain)
            """,
            // Finds names that are already taken. Not unique, because an old database may have names that are too
            // similar.
            "CREATE INDEX IF NOT EXISTS tidemark_users_folded ON tidemark_users (folded_name)",
            numbers,
            "CREATE INDEX IF NOT EXISTS tidemark_numbers_project ON tidemark_numbers (project_id, no)",
            stints,
            // The role is null for former members.
            """
            CREATE TABLE IF NOT EXISTS tidemark_access (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
              role \(integer),
              widened_seq \(integer) NOT NULL,
              narrowed_seq \(integer) NOT NULL,
              history \(text),
              PRIMARY KEY (user_id, project_id)
            ) \(keyed)
            """,
            """
            CREATE TABLE IF NOT EXISTS tidemark_row_counts (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              collection \(text) NOT NULL,
              live \(integer) NOT NULL CHECK (live >= 0),
              tombstones \(integer) NOT NULL CHECK (tombstones >= 0),
              PRIMARY KEY (project_id, collection)
            ) \(keyed)
            """,
            // The digest of each audience's live rows; `bits` is an unsigned number.
            """
            CREATE TABLE IF NOT EXISTS tidemark_digests (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              audience \(text) NOT NULL,
              collection \(text) NOT NULL,
              live \(integer) NOT NULL CHECK (live >= 0),
              bits \(integer) NOT NULL,
              PRIMARY KEY (project_id, audience, collection)
            ) \(keyed)
            """,
            // Former owners of rows of own-only collections, with the commit that took each row away.
            """
            CREATE TABLE IF NOT EXISTS tidemark_former_owners (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              collection \(text) NOT NULL,
              user_id \(integer) NOT NULL,
              row_id \(text) NOT NULL,
              sync_seq \(integer) NOT NULL,
              PRIMARY KEY (project_id, collection, user_id, row_id)
            ) \(keyed)
            """,
            """
            CREATE INDEX IF NOT EXISTS tidemark_former_owners_sync
              ON tidemark_former_owners (project_id, collection, user_id, sync_seq, row_id)
            """,
            // The elements of list references. An index on the column could not find them.
            """
            CREATE TABLE IF NOT EXISTS tidemark_list_references (
              collection \(text) NOT NULL,
              field \(text) NOT NULL,
              target \(text) NOT NULL,
              row_id \(text) NOT NULL,
              PRIMARY KEY (collection, field, target, row_id)
            ) \(keyed)
            """,
            """
            CREATE INDEX IF NOT EXISTS tidemark_list_references_row
              ON tidemark_list_references (collection, row_id)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_access_project ON tidemark_access (project_id, user_id)",
            tokens,
            "CREATE INDEX IF NOT EXISTS tidemark_tokens_user ON tidemark_tokens (user_id, id)",
            // One row for each login. A session that was ended has no row, so its access tokens are refused.
            """
            CREATE TABLE IF NOT EXISTS tidemark_sessions (
              id \(text) NOT NULL PRIMARY KEY,
              user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
              created_at \(integer) NOT NULL,
              expires_at \(integer) NOT NULL
            ) \(keyed)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_sessions_user ON tidemark_sessions (user_id)",
            "CREATE INDEX IF NOT EXISTS tidemark_sessions_expiry ON tidemark_sessions (expires_at)",
            // The secret itself is not stored, only its SHA-256. Used tokens stay until they expire, to be recognized.
            """
            CREATE TABLE IF NOT EXISTS tidemark_refresh_tokens (
              hash \(text) NOT NULL PRIMARY KEY,
              session_id \(text) NOT NULL REFERENCES tidemark_sessions (id) ON DELETE CASCADE,
              expires_at \(integer) NOT NULL,
              is_rotated \(flag) NOT NULL DEFAULT 0 CHECK (is_rotated IN (0, 1)),
              rotated_at \(integer)
            ) \(keyed)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_refresh_tokens_session ON tidemark_refresh_tokens (session_id)",
            "CREATE INDEX IF NOT EXISTS tidemark_refresh_tokens_expiry ON tidemark_refresh_tokens (expires_at)",
            // Stands for a credential once, for a short time. The secret itself is not stored, only its SHA-256.
            """
            CREATE TABLE IF NOT EXISTS tidemark_tickets (
              hash \(text) NOT NULL PRIMARY KEY,
              user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
              credential \(text) NOT NULL,
              is_read_only \(flag) NOT NULL CHECK (is_read_only IN (0, 1)),
              token_expires_at \(integer),
              expires_at \(integer) NOT NULL
            ) \(keyed)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_tickets_expiry ON tidemark_tickets (expires_at)",
            // The account that belongs to an outside issuer's subject.
            """
            CREATE TABLE IF NOT EXISTS tidemark_identities (
              issuer \(text) NOT NULL,
              subject \(text) NOT NULL,
              user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
              PRIMARY KEY (issuer, subject)
            ) \(keyed)
            """,
            // The answers to requests with an idempotency key. The scope is a project's id, or empty.
            """
            CREATE TABLE IF NOT EXISTS tidemark_idempotency (
              scope \(text) NOT NULL,
              user_id \(integer) NOT NULL,
              idempotency_key \(text) NOT NULL,
              body_hash \(text) NOT NULL,
              response \(text) NOT NULL,
              stored_at \(integer) NOT NULL,
              PRIMARY KEY (scope, user_id, idempotency_key)
            ) \(plain)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_idempotency_stored ON tidemark_idempotency (stored_at)",
            // Edits of rows, with the values that they replaced, and deletes.
            """
            CREATE TABLE IF NOT EXISTS tidemark_changes (
              collection \(text) NOT NULL,
              row_id \(text) NOT NULL,
              server_version \(integer) NOT NULL,
              project_id \(text) NOT NULL,
              sync_seq \(integer) NOT NULL,
              user_id \(integer) NOT NULL,
              device \(text),
              credential \(text) NOT NULL,
              at \(integer) NOT NULL,
              edited_at \(integer) NOT NULL,
              replaced \(text) NOT NULL,
              sightings \(text),
              PRIMARY KEY (collection, row_id, server_version)
            ) \(keyed)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_changes_at ON tidemark_changes (at)",
            // Edits that their authors lost.
            """
            CREATE TABLE IF NOT EXISTS tidemark_inbox (
              id \(assignedKey),
              project_id \(text) NOT NULL,
              user_id \(integer) NOT NULL,
              collection \(text) NOT NULL,
              row_id \(text) NOT NULL,
              field \(text),
              code \(text) NOT NULL,
              sent \(text) NOT NULL,
              kept \(text) NOT NULL,
              batch_id \(text),
              at \(integer) NOT NULL
            ) \(plain)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_inbox_user ON tidemark_inbox (user_id, project_id)",
            "CREATE INDEX IF NOT EXISTS tidemark_inbox_row ON tidemark_inbox (user_id, project_id, row_id)",
            "CREATE INDEX IF NOT EXISTS tidemark_inbox_at ON tidemark_inbox (at)",
            inboxByProject, devices,
        ] + audit + listed + largeRecords + files
    }

    /// The secret itself is not stored, only its SHA-256.
    package var tokens: String {
        """
        CREATE TABLE IF NOT EXISTS tidemark_tokens (
          id \(assignedKey),
          hash \(text) NOT NULL UNIQUE,
          user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
          name \(text) NOT NULL,
          is_read_only \(flag) NOT NULL CHECK (is_read_only IN (0, 1)),
          expires_at \(integer),
          created_at \(integer) NOT NULL
        ) \(plain)
        """
    }

    /// The commits of the installation: one row for each transaction and project. `no` counts transactions. `at` is in
    /// milliseconds, and never falls within a project. See `NumberedCommit`.
    private var numbers: String {
        """
        CREATE TABLE IF NOT EXISTS tidemark_numbers (
          no \(integer) NOT NULL,
          project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
          sync_seq \(integer) NOT NULL,
          at \(integer) NOT NULL,
          audiences \(text) NOT NULL,
          changes_sight \(flag) NOT NULL CHECK (changes_sight IN (0, 1)),
          PRIMARY KEY (no, project_id)
        ) \(keyed)
        """
    }

    /// Memberships over time, never purged. `until_seq` is the greatest number while a membership lasts.
    private var stints: String {
        """
        CREATE TABLE IF NOT EXISTS tidemark_stints (
          user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
          project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
          from_seq \(integer) NOT NULL,
          until_seq \(integer) NOT NULL,
          PRIMARY KEY (user_id, project_id, from_seq)
        ) \(keyed)
        """
    }
}

extension SystemTables {
    private static let creation = "CREATE TABLE IF NOT EXISTS "

    /// The names of the tables, in the order of their creation.
    package var names: [String] { statements.compactMap(SystemTables.name) }

    /// The names of the tables whose keys the database assigns.
    package var withAssignedKeys: [String] {
        statements.filter { $0.contains(dialect.assignedKey) }.compactMap(SystemTables.name)
    }

    /// The statements that make the tables, and those that make their indexes.
    package var creation: (tables: [String], indexes: [String]) {
        (statements.filter { SystemTables.name($0) != nil }, statements.filter { SystemTables.name($0) == nil })
    }

    /// The name of the table that the statement makes; nil if it makes none.
    private static func name(_ statement: String) -> String? {
        guard statement.hasPrefix(creation) else { return nil }
        return String(statement.dropFirst(creation.count).prefix { $0 != " " })
    }
}

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

    /// For whom rows are or were listed, in collections in which lists decide who sees a row.
    package var listed: [String] {
        [
            // One entry for each row and user, for rows that inherit their sight as well. `sync_seq` is the commit that
            // delivers the row to the user, or names its id.
            """
            CREATE TABLE IF NOT EXISTS tidemark_listed (
              collection \(text) NOT NULL,
              row_id \(text) NOT NULL,
              user_id \(integer) NOT NULL,
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              came_seq \(integer) NOT NULL,
              gone_seq \(integer),
              sync_seq \(integer) NOT NULL,
              PRIMARY KEY (collection, row_id, user_id)
            ) \(keyed)
            """,
            """
            CREATE INDEX IF NOT EXISTS tidemark_listed_sync
              ON tidemark_listed (project_id, collection, user_id, sync_seq, row_id)
            """,
        ]
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
