import GRDB
import SyncEngine
import SyncProtocol

extension SQLiteTransaction {
    /// From the newest back to the base, so that what is older costs nothing.
    func changes(of key: RowKey, since base: EditBase, bytes: Int) throws -> CutList<RowChange> {
        let statement = try db.cachedStatement(
            sql: """
                SELECT project_id, server_version, sync_seq, user_id, device, credential, at, edited_at, replaced
                FROM tidemark_changes WHERE collection = ?1 AND row_id = ?2 ORDER BY server_version DESC
                """)
        let rows = try Row.fetchCursor(statement, arguments: [key.collection, key.id])
        var changes = CutList<RowChange>(bytes: bytes)
        while let row = try rows.next() {
            let (change, replaced) = (try RowChange(row, of: key), row[8] as String)
            guard base.precedes(change), changes.take(change, texts: replaced.utf8.count) else { break }
        }
        return changes
    }

    func remember(_ changes: [RowChange]) throws {
        let sql = """
            INSERT INTO tidemark_changes (
              collection, row_id, server_version, project_id, sync_seq, user_id, device, credential, at, edited_at, replaced)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        try write(changes.map(\.columns), sql)
    }

    func forgetChanges(before date: Timestamp, limit: Int) throws -> Int {
        let forgotten = try rows(
            """
            DELETE FROM tidemark_changes WHERE (collection, row_id, server_version) IN (
              SELECT collection, row_id, server_version FROM tidemark_changes WHERE at < ?1 ORDER BY at LIMIT ?2)
            RETURNING project_id, sync_seq
            """, [date.milliseconds, limit])
        for (project, rows) in Dictionary(grouping: forgotten, by: { $0[0] as String }) {
            let floor = rows.map { $0[1] as Int64 }.max()
            try execute(
                "UPDATE tidemark_projects SET history_floor = max(history_floor, ?2) WHERE id = ?1", [project, floor])
        }
        return forgotten.count
    }
}

extension RowChange {
    fileprivate init(_ row: Row, of key: RowKey) throws {
        let replaced: String = row[8]
        self.init(
            key: key, project: row[0], version: ServerVersion(row[1]), seq: SyncSeq(row[2]),
            origin: Origin(userID: row[3], device: row[4], credential: row[5]), at: Timestamp(milliseconds: row[6]),
            editedAt: Timestamp(milliseconds: row[7]), replaced: try JSON(parsing: replaced.utf8).object ?? [:])
    }

    fileprivate var columns: [JSON] {
        [
            .string(key.collection), .string(key.id), .int(version.rawValue), .string(project), .int(seq.rawValue),
            .int(origin.userID), origin.device.map(JSON.string) ?? .null, .string(origin.credential),
            .int(at.milliseconds), .int(editedAt.milliseconds), .string(JSON.object(replaced).text),
        ]
    }
}
