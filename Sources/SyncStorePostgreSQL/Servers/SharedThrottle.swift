import SyncProtocol
import SyncStore

/// Token buckets in the database, so several servers together allow no more than one. The table is not logged: after a
/// crash or a failover all buckets are full.
struct SharedThrottle: Throttle {
    let pool: ConnectionPool
    private let failures: StoreFailure

    init(_ pool: ConnectionPool, _ failures: StoreFailure) { (self.pool, self.failures) = (pool, failures) }

    func take(_ key: String, perMinute: Int, at now: Instant) async throws -> Int64 {
        try await failures.translated {
            try await pool.use { connection in
                let values: [JSON] = [.string(key), .int(Int64(perMinute)), .int(now.milliseconds)]
                return try connection.ask(Self.statement, values).first?.integer(0) ?? 0
            }
        }
    }

    func giveBack(_ key: String, perMinute: Int) async throws {
        try await failures.translated {
            try await pool.use { connection in
                _ = try connection.ask(
                    """
                    UPDATE tidemark_throttle SET parts = LEAST(CAST(?2 AS BIGINT) * 60000, parts + 60000)
                    WHERE key = ?1
                    """, [.string(key), .int(Int64(perMinute))])
            }
        }
    }

    /// Deletes buckets that are full: nobody has taken from them for a minute.
    static func purge(_ connection: Connection, at now: Instant) throws {
        let limit = now.advanced(by: .seconds(-120))
        _ = try connection.ask("DELETE FROM tidemark_throttle WHERE filled_at < ?1", [.int(limit.milliseconds)])
    }

    static let table = """
        CREATE UNLOGGED TABLE IF NOT EXISTS tidemark_throttle (
          key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
          parts BIGINT NOT NULL,
          filled_at BIGINT NOT NULL,
          wait BIGINT NOT NULL
        )
        """

    /// Counts as `RateLimiter` does, in 1/60,000 of a token: a millisecond adds as many parts as a minute adds tokens.
    /// The clocks of servers differ. A clock that is behind by up to a minute fills nothing; one that is further behind
    /// was set back, and the bucket goes on filling from there.
    private static let statement = """
        INSERT INTO tidemark_throttle AS b (key, parts, filled_at, wait)
        VALUES (?1, (CAST(?2 AS BIGINT) - 1) * 60000, ?3, 0)
        ON CONFLICT (key) DO UPDATE SET (parts, filled_at, wait) = (
          SELECT CASE WHEN f.parts >= 60000 THEN f.parts - 60000 ELSE f.parts END,
            CASE WHEN excluded.filled_at < b.filled_at - 60000 THEN excluded.filled_at
              ELSE GREATEST(b.filled_at, excluded.filled_at) END,
            CASE WHEN f.parts >= 60000 THEN 0
              ELSE (60000 - f.parts + CAST(?2 AS BIGINT) - 1) / CAST(?2 AS BIGINT) END
          FROM (
            SELECT LEAST(CAST(?2 AS BIGINT) * 60000,
              b.parts + LEAST(60000, GREATEST(0, excluded.filled_at - b.filled_at)) * CAST(?2 AS BIGINT)) AS parts
          ) AS f)
        RETURNING wait
        """
}
