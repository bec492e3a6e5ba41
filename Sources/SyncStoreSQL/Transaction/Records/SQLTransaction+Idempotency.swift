package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    package func answer(to key: IdempotencyKey) throws -> StoredAnswer? { try storedAnswer(to: key) }

    package func storedAnswer(to key: IdempotencyKey) throws -> StoredAnswer? {
        let sql = """
            SELECT body_hash, response, stored_at FROM tidemark_idempotency
            WHERE scope = ?1 AND user_id = ?2 AND idempotency_key = ?3
            """
        return try first(sql, [.string(key.scope), .int(key.userID), .string(key.text.rawValue)]) {
            StoredAnswer(
                key: key, bodyHash: $0.string(0), response: $0.string(1),
                storedAt: $0.instant(2))
        }
    }

    package func storeAnswer(_ answer: StoredAnswer) throws {
        let key = answer.key
        let values: [JSON] = [
            .string(key.scope), .int(key.userID), .string(key.text.rawValue), .string(answer.bodyHash),
            .string(answer.response), .int(answer.storedAt.milliseconds),
        ]
        try write(
            [values],
            """
            INSERT INTO tidemark_idempotency (scope, user_id, idempotency_key, body_hash, response, stored_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (scope, user_id, idempotency_key) DO UPDATE
            SET body_hash = excluded.body_hash, response = excluded.response, stored_at = excluded.stored_at
            """)
    }

    package func trimAnswers(of user: Int64, scope: String, to bytes: Int) throws {
        try run(statements.trimAnswers, [.int(user), .string(scope), .int(Int64(bytes))])
    }

    package func forgetAnswers(before date: Instant, limit: Int) throws -> Int {
        try change(
            """
            DELETE FROM tidemark_idempotency WHERE (scope, user_id, idempotency_key) IN (
              SELECT scope, user_id, idempotency_key FROM tidemark_idempotency WHERE stored_at < ?1 LIMIT ?2)
            """, [.int(date.milliseconds), .int(Int64(limit))])
    }
}
