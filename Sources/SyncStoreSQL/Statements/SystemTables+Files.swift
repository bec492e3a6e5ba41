extension SystemTables {
    /// The files of projects, without their bytes, and which rows name them.
    package var files: [String] {
        [
            // `place` is the name in the file store. `unnamed_at` is null while a row names the file.
            """
            CREATE TABLE IF NOT EXISTS tidemark_files (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              digest \(text) NOT NULL,
              size \(integer) NOT NULL CHECK (size >= 0),
              place \(text) NOT NULL UNIQUE,
              unnamed_at \(integer),
              PRIMARY KEY (project_id, digest)
            ) \(keyed)
            """,
            """
            CREATE INDEX IF NOT EXISTS tidemark_files_unnamed ON tidemark_files (unnamed_at)
            WHERE unnamed_at IS NOT NULL
            """,
            // Files whose bytes were not found after a restore. They may turn up, or be sent again.
            """
            CREATE TABLE IF NOT EXISTS tidemark_missing_files (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              digest \(text) NOT NULL,
              size \(integer) NOT NULL CHECK (size >= 0),
              place \(text) NOT NULL UNIQUE,
              missing_at \(integer) NOT NULL,
              PRIMARY KEY (project_id, digest)
            ) \(keyed)
            """,
            // Who has sent which file. Only for files that are there, or missing.
            """
            CREATE TABLE IF NOT EXISTS tidemark_file_senders (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              digest \(text) NOT NULL,
              user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
              PRIMARY KEY (project_id, digest, user_id)
            ) \(keyed)
            """,
            // The fields of live rows that name a file, whether or not it is there.
            """
            CREATE TABLE IF NOT EXISTS tidemark_file_names (
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              digest \(text) NOT NULL,
              collection \(text) NOT NULL,
              row_id \(text) NOT NULL,
              field \(text) NOT NULL,
              set_by \(integer) NOT NULL,
              is_stored \(flag) NOT NULL CHECK (is_stored IN (0, 1)),
              PRIMARY KEY (project_id, digest, collection, row_id, field)
            ) \(keyed)
            """,
            """
            CREATE TABLE IF NOT EXISTS tidemark_file_use (
              project_id \(text) NOT NULL PRIMARY KEY REFERENCES tidemark_projects (id),
              files \(integer) NOT NULL CHECK (files >= 0),
              bytes \(integer) NOT NULL CHECK (bytes >= 0)
            ) \(keyed)
            """,
        ] + fileUploads
    }

    /// Uploads that may go on.
    private var fileUploads: [String] {
        [
            // `reserved` is how many bytes are kept free, `turn` counts the requests that went on with it.
            """
            CREATE TABLE IF NOT EXISTS tidemark_uploads (
              id \(text) NOT NULL PRIMARY KEY,
              project_id \(text) NOT NULL REFERENCES tidemark_projects (id),
              user_id \(integer) NOT NULL REFERENCES tidemark_users (id),
              digest \(text) NOT NULL,
              length \(integer) CHECK (length >= 0),
              reserved \(integer) NOT NULL CHECK (reserved >= 0),
              received \(integer) NOT NULL CHECK (received >= 0),
              turn \(integer) NOT NULL,
              moved_at \(integer) NOT NULL,
              finished_at \(integer)
            ) \(keyed)
            """,
            "CREATE INDEX IF NOT EXISTS tidemark_uploads_user ON tidemark_uploads (user_id, project_id, digest)",
            "CREATE INDEX IF NOT EXISTS tidemark_uploads_project ON tidemark_uploads (project_id)",
            "CREATE INDEX IF NOT EXISTS tidemark_uploads_moved ON tidemark_uploads (moved_at)",
            """
            CREATE TABLE IF NOT EXISTS tidemark_upload_parts (
              upload_id \(text) NOT NULL REFERENCES tidemark_uploads (id),
              number \(integer) NOT NULL,
              name \(text) NOT NULL UNIQUE,
              bytes \(integer) NOT NULL CHECK (bytes >= 0),
              PRIMARY KEY (upload_id, number)
            ) \(keyed)
            """,
        ]
    }
}
