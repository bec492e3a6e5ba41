import GRDB

/// The tables beside the collections': the data of the installation, and data that the draft derives from synced rows.
enum SystemTables {
    static let statements = [
        """
        CREATE TABLE IF NOT EXISTS tidemark_settings (
          name TEXT NOT NULL PRIMARY KEY,
          value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        // `head` is the number of the project's last commit. The transaction that
        // raises it also writes the rows.
        """
        CREATE TABLE IF NOT EXISTS tidemark_projects (
          id TEXT NOT NULL PRIMARY KEY,
          head INTEGER NOT NULL CHECK (head >= 0),
          short_ids INTEGER NOT NULL DEFAULT 0,
          is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
          is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
          horizon INTEGER NOT NULL DEFAULT 0,
          floor INTEGER NOT NULL DEFAULT 0,
          history_floor INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID
        """,
        numbers,
        "CREATE INDEX IF NOT EXISTS tidemark_numbers_project ON tidemark_numbers (project_id, no)",
        stints,
        // The role is null for former members.
        """
        CREATE TABLE IF NOT EXISTS tidemark_access (
          project_id TEXT NOT NULL REFERENCES tidemark_projects (id),
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          role INTEGER,
          widened_seq INTEGER NOT NULL,
          narrowed_seq INTEGER NOT NULL,
          history TEXT,
          PRIMARY KEY (user_id, project_id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS tidemark_row_counts (
          project_id TEXT NOT NULL REFERENCES tidemark_projects (id),
          collection TEXT NOT NULL,
          live INTEGER NOT NULL CHECK (live >= 0),
          tombstones INTEGER NOT NULL CHECK (tombstones >= 0),
          PRIMARY KEY (project_id, collection)
        ) STRICT, WITHOUT ROWID
        """,
        // The digest of each audience's live rows; `bits` is an unsigned number.
        """
        CREATE TABLE IF NOT EXISTS tidemark_digests (
          project_id TEXT NOT NULL REFERENCES tidemark_projects (id),
          audience TEXT NOT NULL,
          collection TEXT NOT NULL,
          live INTEGER NOT NULL CHECK (live >= 0),
          bits INTEGER NOT NULL,
          PRIMARY KEY (project_id, audience, collection)
        ) STRICT, WITHOUT ROWID
        """,
        // Former owners of rows of own-only collections, with the commit that took each row away.
        """
        CREATE TABLE IF NOT EXISTS tidemark_former_owners (
          project_id TEXT NOT NULL REFERENCES tidemark_projects (id),
          collection TEXT NOT NULL,
          user_id INTEGER NOT NULL,
          row_id TEXT NOT NULL,
          sync_seq INTEGER NOT NULL,
          PRIMARY KEY (project_id, collection, user_id, row_id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE INDEX IF NOT EXISTS tidemark_former_owners_sync
          ON tidemark_former_owners (project_id, collection, user_id, sync_seq, row_id)
        """,
        // The elements of list references. An index on the column could not find them.
        """
        CREATE TABLE IF NOT EXISTS tidemark_list_references (
          collection TEXT NOT NULL,
          field TEXT NOT NULL,
          target TEXT NOT NULL,
          row_id TEXT NOT NULL,
          PRIMARY KEY (collection, field, target, row_id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE INDEX IF NOT EXISTS tidemark_list_references_row
          ON tidemark_list_references (collection, row_id)
        """,
        """
        CREATE TABLE IF NOT EXISTS tidemark_users (
          id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
          username TEXT NOT NULL UNIQUE,
          display_name TEXT NOT NULL,
          is_superuser INTEGER NOT NULL CHECK (is_superuser IN (0, 1)),
          is_disabled INTEGER NOT NULL DEFAULT 0 CHECK (is_disabled IN (0, 1)),
          created_at TEXT NOT NULL,
          password_hash TEXT,
          folded_name TEXT
        ) STRICT
        """,
        // Finds names that are already taken. Not unique, because an old database may have names that are too similar.
        "CREATE INDEX IF NOT EXISTS tidemark_users_folded ON tidemark_users (folded_name)",
        "CREATE INDEX IF NOT EXISTS tidemark_access_project ON tidemark_access (project_id, user_id)",
        tokens,
        "CREATE INDEX IF NOT EXISTS tidemark_tokens_user ON tidemark_tokens (user_id, id)",
        // One row for each login. A session that was ended has no row, so its access tokens are refused.
        """
        CREATE TABLE IF NOT EXISTS tidemark_sessions (
          id TEXT NOT NULL PRIMARY KEY,
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS tidemark_sessions_user ON tidemark_sessions (user_id)",
        "CREATE INDEX IF NOT EXISTS tidemark_sessions_expiry ON tidemark_sessions (expires_at)",
        // The secret itself is not stored, only its SHA-256. Used tokens stay until they expire, to be recognized.
        """
        CREATE TABLE IF NOT EXISTS tidemark_refresh_tokens (
          hash TEXT NOT NULL PRIMARY KEY,
          session_id TEXT NOT NULL REFERENCES tidemark_sessions (id) ON DELETE CASCADE,
          expires_at INTEGER NOT NULL,
          is_rotated INTEGER NOT NULL DEFAULT 0 CHECK (is_rotated IN (0, 1)),
          rotated_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS tidemark_refresh_tokens_session ON tidemark_refresh_tokens (session_id)",
        "CREATE INDEX IF NOT EXISTS tidemark_refresh_tokens_expiry ON tidemark_refresh_tokens (expires_at)",
        // Stands for a credential once, for a short time. The secret itself is not stored, only its SHA-256.
        """
        CREATE TABLE IF NOT EXISTS tidemark_tickets (
          hash TEXT NOT NULL PRIMARY KEY,
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          credential TEXT NOT NULL,
          is_read_only INTEGER NOT NULL CHECK (is_read_only IN (0, 1)),
          token_expires_at INTEGER,
          expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS tidemark_tickets_expiry ON tidemark_tickets (expires_at)",
        // The account that belongs to an outside issuer's subject.
        """
        CREATE TABLE IF NOT EXISTS tidemark_identities (
          issuer TEXT NOT NULL,
          subject TEXT NOT NULL,
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          PRIMARY KEY (issuer, subject)
        ) STRICT, WITHOUT ROWID
        """,
        // The answers to requests with an idempotency key. The scope is a project's id, or empty.
        """
        CREATE TABLE IF NOT EXISTS tidemark_idempotency (
          scope TEXT NOT NULL,
          user_id INTEGER NOT NULL,
          idempotency_key TEXT NOT NULL,
          body_hash TEXT NOT NULL,
          response TEXT NOT NULL,
          stored_at INTEGER NOT NULL,
          PRIMARY KEY (scope, user_id, idempotency_key)
        ) STRICT
        """,
        "CREATE INDEX IF NOT EXISTS tidemark_idempotency_stored ON tidemark_idempotency (stored_at)",
        // Edits of rows, with the values that they replaced.
        """
        CREATE TABLE IF NOT EXISTS tidemark_changes (
          collection TEXT NOT NULL,
          row_id TEXT NOT NULL,
          server_version INTEGER NOT NULL,
          project_id TEXT NOT NULL,
          sync_seq INTEGER NOT NULL,
          user_id INTEGER NOT NULL,
          device TEXT,
          credential TEXT NOT NULL,
          at INTEGER NOT NULL,
          edited_at INTEGER NOT NULL,
          replaced TEXT NOT NULL,
          sightings TEXT,
          PRIMARY KEY (collection, row_id, server_version)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS tidemark_changes_at ON tidemark_changes (at)",
        // Edits that their authors lost.
        """
        CREATE TABLE IF NOT EXISTS tidemark_inbox (
          id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
          project_id TEXT NOT NULL,
          user_id INTEGER NOT NULL,
          collection TEXT NOT NULL,
          row_id TEXT NOT NULL,
          field TEXT,
          code TEXT NOT NULL,
          sent TEXT NOT NULL,
          kept TEXT NOT NULL,
          batch_id TEXT,
          at INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX IF NOT EXISTS tidemark_inbox_user ON tidemark_inbox (user_id, project_id)",
        "CREATE INDEX IF NOT EXISTS tidemark_inbox_row ON tidemark_inbox (user_id, project_id, row_id)",
        "CREATE INDEX IF NOT EXISTS tidemark_inbox_at ON tidemark_inbox (at)",
        devices,
    ]

    /// What is known of devices: a row for each project, and one for all of them with an empty `project_id`, which also
    /// has the name and the version. Each value has the time at which it was learned, because servers merge by time.
    static let devices = """
        CREATE TABLE IF NOT EXISTS tidemark_devices (
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          device_id TEXT NOT NULL,
          project_id TEXT NOT NULL,
          first_seen INTEGER NOT NULL,
          last_seen INTEGER NOT NULL,
          last_upload INTEGER,
          name TEXT,
          name_at INTEGER,
          app_version TEXT,
          app_version_at INTEGER,
          watermark INTEGER,
          watermark_at INTEGER,
          last_error TEXT,
          last_error_at INTEGER,
          digest TEXT,
          digest_at INTEGER,
          PRIMARY KEY (user_id, device_id, project_id)
        ) STRICT, WITHOUT ROWID
        """

    /// The secret itself is not stored, only its SHA-256.
    static let tokens = """
        CREATE TABLE IF NOT EXISTS tidemark_tokens (
          id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
          hash TEXT NOT NULL UNIQUE,
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          name TEXT NOT NULL,
          is_read_only INTEGER NOT NULL CHECK (is_read_only IN (0, 1)),
          expires_at INTEGER,
          created_at INTEGER NOT NULL
        ) STRICT
        """

    /// The commits of the installation: one row for each transaction and project. `no` counts transactions. `at` is in
    /// milliseconds, and never falls within a project. See `NumberedCommit`.
    static let numbers = """
        CREATE TABLE IF NOT EXISTS tidemark_numbers (
          no INTEGER NOT NULL,
          project_id TEXT NOT NULL REFERENCES tidemark_projects (id),
          sync_seq INTEGER NOT NULL,
          at INTEGER NOT NULL,
          audiences TEXT NOT NULL,
          changes_sight INTEGER NOT NULL CHECK (changes_sight IN (0, 1)),
          PRIMARY KEY (no, project_id)
        ) STRICT, WITHOUT ROWID
        """

    /// Memberships over time, never purged. `until_seq` is the greatest number while a membership lasts.
    static let stints = """
        CREATE TABLE IF NOT EXISTS tidemark_stints (
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          project_id TEXT NOT NULL REFERENCES tidemark_projects (id),
          from_seq INTEGER NOT NULL,
          until_seq INTEGER NOT NULL,
          PRIMARY KEY (user_id, project_id, from_seq)
        ) STRICT, WITHOUT ROWID
        """
}

extension Database {
    /// The value of a setting in `tidemark_settings`; nil if there is none.
    func setting(_ name: String) throws -> String? {
        try String.fetchOne(self, sql: "SELECT value FROM tidemark_settings WHERE name = ?1", arguments: [name])
    }

    /// Writes a setting; nil removes it.
    func set(_ name: String, to value: String?) throws {
        guard let value else {
            return try execute(sql: "DELETE FROM tidemark_settings WHERE name = ?1", arguments: [name])
        }
        try execute(
            sql: """
                INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [name, value])
    }
}
