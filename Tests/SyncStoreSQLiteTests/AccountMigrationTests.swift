import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQLite
import SyncTestKit

import Testing

/// Databases from versions that had no sessions.
@Suite struct AccountMigrationTests {
    /// The tables as the first version made them.
    private static let first = [
        "CREATE TABLE tidemark_settings (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        """
        CREATE TABLE tidemark_users (
          id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
          username TEXT NOT NULL UNIQUE,
          display_name TEXT NOT NULL,
          is_superuser INTEGER NOT NULL CHECK (is_superuser IN (0, 1)),
          is_disabled INTEGER NOT NULL DEFAULT 0 CHECK (is_disabled IN (0, 1)),
          created_at TEXT NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE tidemark_tokens (
          hash TEXT NOT NULL PRIMARY KEY,
          user_id INTEGER NOT NULL REFERENCES tidemark_users (id),
          name TEXT NOT NULL,
          is_read_only INTEGER NOT NULL CHECK (is_read_only IN (0, 1)),
          expires_at INTEGER,
          created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "INSERT INTO tidemark_users VALUES (7, 'a', 'A', 0, 0, '2026-01-01T00:00:00.000Z')",
        "INSERT INTO tidemark_tokens VALUES ('hb', 7, 'second', 1, 99, 20), ('ha', 7, 'first', 0, NULL, 10)",
    ]

    @Test(arguments: [SQLiteStore.Opener.server, .guest]) func tokensKeepTheirHashesAndGetNumbers(
        opener: SQLiteStore.Opener
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("t.db")
        do {
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in for statement in Self.first { try db.execute(sql: statement) } }
        }
        for _ in 0..<2 {
            let store = try SQLiteStore(path: path, registry: .builtIn(), opener: opener, mender: DraftMender())
            let tokens = try await store.read { try $0.tokens(of: 7, after: 0, limit: 10) }
            #expect(tokens.map(\.content.name) == ["first", "second"])
            #expect(tokens.map(\.content.isReadOnly) == [false, true])
            #expect(tokens.map { $0.content.expiresAt?.milliseconds } == [nil, 99])
            #expect(tokens.map(\.content.createdAt.milliseconds) == [10, 20])
            #expect(try await store.read { try $0.token(hash: "hb") } == tokens[1])
            #expect(try await store.read { try $0.passwordHash(of: 7) } == nil)
            #expect(try await store.read { try $0.user(id: 7)?.username } == "a")
        }
    }
}
