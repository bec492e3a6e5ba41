import GRDB
import SyncEngine
import SyncProtocol

extension SQLiteTransaction {
    func batch(project: String, user: Int64, batchID: String) throws -> StoredBatch? {
        let sql = """
            SELECT body_hash, response, stored_at FROM tidemark_batches
            WHERE project_id = ?1 AND user_id = ?2 AND batch_id = ?3
            """
        return try row(sql, [project, user, batchID]).map {
            StoredBatch(
                project: project, userID: user, batchID: batchID, bodyHash: $0[0], response: $0[1],
                storedAt: Timestamp(milliseconds: $0[2]))
        }
    }

    /// Replaces a record that has outlived its retention.
    func storeBatch(_ batch: StoredBatch) throws {
        try execute(
            """
            INSERT INTO tidemark_batches (project_id, user_id, batch_id, body_hash, response, stored_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (project_id, user_id, batch_id) DO UPDATE
            SET body_hash = excluded.body_hash, response = excluded.response, stored_at = excluded.stored_at
            """,
            [batch.project, batch.userID, batch.batchID, batch.bodyHash, batch.response, batch.storedAt.milliseconds])
    }

    func forgetBatches(before date: Timestamp) throws {
        try execute(
            """
            DELETE FROM tidemark_batches WHERE (project_id, user_id, batch_id) IN (
              SELECT project_id, user_id, batch_id FROM tidemark_batches WHERE stored_at < ?1 LIMIT 100)
            """, [date.milliseconds])
    }

    func secret(_ name: String) throws -> String? {
        try row("SELECT value FROM tidemark_settings WHERE name = 'secret_' || ?1", [name])?[0]
    }

    func setSecret(_ name: String, _ value: String) throws {
        try execute("INSERT INTO tidemark_settings (name, value) VALUES ('secret_' || ?1, ?2)", [name, value])
    }
}
