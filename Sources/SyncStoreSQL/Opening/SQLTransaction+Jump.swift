import SyncProtocol
import SyncStore

extension SQLTransaction {
    /// Raises all counters and floors, removes the marks of a backup and of a move, and deletes the secret of cursors.
    /// Also ends all sessions, because they may have been ended after the backup was made. Throws a `StoreError` if the
    /// numbers are used up.
    package func jump(factor: Int64) throws -> RestoreJump {
        let distance = factor << 32
        try requireRoom(for: distance)
        let projects = try change(
            "UPDATE tidemark_projects SET head = head + ?1, floor = head + ?1", [.int(distance)])
        _ = try change(
            """
            INSERT INTO tidemark_settings (name, value) VALUES ('seq_base', ?1)
            ON CONFLICT (name) DO UPDATE
              SET value = CAST(CAST(tidemark_settings.value AS BIGINT) + CAST(?2 AS BIGINT) AS TEXT)
            """, [.string(String(distance)), .int(distance)])
        try jumpNumber(distance)
        for statement in [
            "DELETE FROM tidemark_settings WHERE name IN ('\(Self.ended.joined(separator: "', '"))')",
            "DELETE FROM tidemark_refresh_tokens", "DELETE FROM tidemark_sessions",
        ] {
            _ = try change(statement, [])
        }
        return RestoreJump(distance: distance, projects: projects)
    }

    /// The settings that mean nothing after a jump.
    private static var ended: [String] {
        [RestoreJump.mark, DatabaseMove.movedMark, DatabaseMove.unfinishedMark, "secret_cursor"]
    }

    /// Raises the installation's number as far as the counters, and records every project's new head under it. Numbers
    /// from before are not valid any more.
    private func jumpNumber(_ distance: Int64) throws {
        let now: JSON = .int(WallClock.system.now().milliseconds)
        _ = try change(
            """
            INSERT INTO tidemark_settings (name, value)
            SELECT 'number_base', CAST(no + ?1 AS TEXT) FROM (\(SQLStatements.newestNumber)) AS newest WHERE true
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.int(distance)])
        _ = try change(statements.numberHeads(as: "(\(SQLStatements.newestNumber))"), [now])
    }

    private func requireRoom(for distance: Int64) throws {
        let top = try first(statements.topNumber) { $0.integer(0) } ?? 0
        guard top < CommitNumber.limit - distance else {
            throw StoreError(
                "The commit numbers are used up: \(top) + \(distance) would exceed 2^52 - 1.",
                hint: "Start with a new database, import the projects into it, and let clients start again.")
        }
    }
}
