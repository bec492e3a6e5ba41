import GRDB
import SyncEngine
import SyncProtocol

extension SQLiteTransaction {
    func answer(to key: IdempotencyKey) throws -> StoredAnswer? {
        let sql = """
            SELECT body_hash, response, stored_at FROM tidemark_idempotency
            WHERE scope = ?1 AND user_id = ?2 AND idempotency_key = ?3
            """
        return try row(sql, [key.scope, key.userID, key.text]).map {
            StoredAnswer(key: key, bodyHash: $0[0], response: $0[1], storedAt: Timestamp(milliseconds: $0[2]))
        }
    }

    func storeAnswer(_ answer: StoredAnswer) throws {
        let key = answer.key
        try execute(
            """
            INSERT INTO tidemark_idempotency (scope, user_id, idempotency_key, body_hash, response, stored_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (scope, user_id, idempotency_key) DO UPDATE
            SET body_hash = excluded.body_hash, response = excluded.response, stored_at = excluded.stored_at
            """,
            [key.scope, key.userID, key.text, answer.bodyHash, answer.response, answer.storedAt.milliseconds])
    }

    func forgetAnswers(before date: Timestamp) throws {
        try execute(
            """
            DELETE FROM tidemark_idempotency WHERE (scope, user_id, idempotency_key) IN (
              SELECT scope, user_id, idempotency_key FROM tidemark_idempotency WHERE stored_at < ?1 LIMIT 100)
            """, [date.milliseconds])
    }
}
