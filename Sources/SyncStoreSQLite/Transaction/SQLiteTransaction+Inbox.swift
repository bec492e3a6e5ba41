import GRDB
import SyncProtocol
import SyncStore

extension SQLiteTransaction {
    func inbox(
        of user: Int64, project: String, since date: Instant, after: Int64, limit: Int, bytes: Int
    ) throws -> BoundedList<InboxEntry> {
        let sql = """
            SELECT id, collection, row_id, field, code, sent, kept, batch_id, at FROM tidemark_inbox
            WHERE user_id = ?1 AND project_id = ?2 AND id > ?3 AND at >= ?4 ORDER BY id LIMIT ?5
            """
        let values: [JSON] = [
            .int(user), .string(project), .int(after), .int(date.milliseconds), .int(Int64(limit + 1)),
        ]
        var entries = BoundedList<InboxEntry>(bytes: bytes)
        try db.each(sql, values) { row in
            entries.take(try InboxEntry(row, of: user), texts: row.text(5).count + row.text(6).count)
        }
        entries.cut(to: limit)
        return entries
    }

    func addToInbox(_ edits: [LostEdit], project: String, at: Instant) throws {
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

    func forgetInbox(before date: Instant, limit: Int) throws -> Int {
        try execute(
            "DELETE FROM tidemark_inbox WHERE id IN (SELECT id FROM tidemark_inbox WHERE at < ?1 LIMIT ?2)",
            [date.milliseconds, limit])
        return db.changesCount
    }
}

extension InboxEntry {
    fileprivate init(_ row: RawRows, of user: Int64) throws {
        let edit = LostEdit(
            userID: user, key: RowKey(row.string(1), row.string(2)), field: row.optionalString(3),
            code: ErrorCode(rawValue: row.string(4)) ?? .conflict, sent: try JSON(parsing: row.text(5)),
            kept: try JSON(parsing: row.text(6)), batchID: row.optionalString(7))
        self.init(id: row.integer(0), edit: edit, at: Instant(milliseconds: row.integer(8)))
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
