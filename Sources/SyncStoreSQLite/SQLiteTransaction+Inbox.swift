import GRDB
import SyncEngine
import SyncProtocol

extension SQLiteTransaction {
    func inbox(
        of user: Int64, project: String, since date: Timestamp, after: Int64, limit: Int, bytes: Int
    ) throws -> CutList<InboxEntry> {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, collection, row_id, field, code, sent, kept, batch_id, at FROM tidemark_inbox
                WHERE user_id = ?1 AND project_id = ?2 AND id > ?3 AND at >= ?4 ORDER BY id LIMIT ?5
                """)
        let rows = try Row.fetchCursor(statement, arguments: [user, project, after, date.milliseconds, limit + 1])
        var entries = CutList<InboxEntry>(bytes: bytes)
        while let row = try rows.next() {
            let (sent, kept): (String, String) = (row[5], row[6])
            guard entries.take(try InboxEntry(row, of: user), texts: sent.utf8.count + kept.utf8.count) else { break }
        }
        entries.cut(to: limit)
        return entries
    }

    func addToInbox(_ edits: [LostEdit], project: String, at: Timestamp) throws {
        // Who sends a refused row again loses nothing more.
        let again = """
            DELETE FROM tidemark_inbox WHERE project_id = ?1 AND user_id = ?2 AND collection = ?3 AND row_id = ?4
              AND field IS ?5 AND code = ?6 AND sent = ?7
            """
        try write(edits.map { [.string(project)] + $0.columns.prefix(6) }, again)
        let sql = """
            INSERT INTO tidemark_inbox (
              project_id, user_id, collection, row_id, field, code, sent, kept, batch_id, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        try write(edits.map { [.string(project)] + $0.columns + [.int(at.milliseconds)] }, sql)
    }

    func dismiss(_ selection: InboxSelection, of user: Int64, project: String) throws -> Bool {
        let scope = "DELETE FROM tidemark_inbox WHERE user_id = ?1 AND project_id = ?2 AND"
        switch selection {
        case .entry(let id): try execute("\(scope) id = ?3", [user, project, id])
        case .row(let id): try execute("\(scope) row_id = ?3", [user, project, id])
        }
        return db.changesCount > 0
    }

    func forgetInbox(before date: Timestamp, limit: Int) throws -> Int {
        try execute(
            "DELETE FROM tidemark_inbox WHERE id IN (SELECT id FROM tidemark_inbox WHERE at < ?1 LIMIT ?2)",
            [date.milliseconds, limit])
        return db.changesCount
    }
}

extension InboxEntry {
    fileprivate init(_ row: Row, of user: Int64) throws {
        let (code, sent, kept): (String, String, String) = (row[4], row[5], row[6])
        let edit = LostEdit(
            userID: user, key: RowKey(row[1], row[2]), field: row[3], code: ErrorCode(rawValue: code) ?? .conflict,
            sent: try JSON(parsing: sent.utf8), kept: try JSON(parsing: kept.utf8), batchID: row[7])
        self.init(id: row[0], edit: edit, at: Timestamp(milliseconds: row[8]))
    }
}

extension LostEdit {
    fileprivate var columns: [JSON] {
        [
            .int(userID), .string(key.collection), .string(key.id), field.map(JSON.string) ?? .null,
            .string(code.rawValue), .string(sent.text), .string(kept.text), batchID.map(JSON.string) ?? .null,
        ]
    }
}
