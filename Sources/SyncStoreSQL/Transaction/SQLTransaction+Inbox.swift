package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    package func inbox(
        of user: Int64, project: String?, since date: Instant, after: Int64, limit: Int, bytes: Int
    ) throws -> BoundedList<InboxEntry> {
        let sql = """
            SELECT id, collection, row_id, field, code, sent, kept, batch_id, at, project_id FROM tidemark_inbox
            WHERE user_id = ?1\(Self.ofProject(project)) AND id > ?3 AND at >= ?4 ORDER BY id LIMIT ?5
            """
        let values: [JSON] = [
            .int(user), project.map(JSON.string) ?? .null, .int(after), .int(date.milliseconds), .int(Int64(limit + 1)),
        ]
        var entries = BoundedList<InboxEntry>(bytes: bytes)
        try each(sql, values, isKept: true) { row in
            entries.take(try InboxEntry(row, of: user), texts: row.text(5).count + row.text(6).count)
        }
        entries.cut(to: limit)
        return entries
    }

    private static func ofProject(_ project: String?) -> String { project == nil ? "" : " AND project_id = ?2" }

    package func addToInbox(_ edits: [LostEdit], project: String, at: Instant) throws {
        // If a client sends a refused row again, that is no further loss.
        try write(edits.map { [.string(project)] + $0.columns.prefix(6) }, statements.forgetSameLoss)
        let sql = """
            INSERT INTO tidemark_inbox (
              project_id, user_id, collection, row_id, field, code, sent, kept, batch_id, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        try write(edits.map { [.string(project)] + $0.columns + [.int(at.milliseconds)] }, sql)
    }

    package func dismiss(_ selection: InboxSelection, of user: Int64, project: String?) throws -> Bool {
        let scope = "DELETE FROM tidemark_inbox WHERE user_id = ?1\(Self.ofProject(project)) AND"
        let (condition, value): (String, JSON) =
            switch selection {
            case .entry(let id): ("id = ?3", .int(id))
            case .row(let id): ("row_id = ?3", .string(id))
            }
        return try change("\(scope) \(condition)", [.int(user), project.map(JSON.string) ?? .null, value]) > 0
    }

    package func forgetInbox(before date: Instant, limit: Int) throws -> Int {
        try change(
            "DELETE FROM tidemark_inbox WHERE id IN (SELECT id FROM tidemark_inbox WHERE at < ?1 LIMIT ?2)",
            [.int(date.milliseconds), .int(Int64(limit))])
    }
}

extension InboxEntry {
    fileprivate init(_ row: some SQLRow, of user: Int64) throws {
        let edit = LostEdit(
            userID: user, key: RowKey(row.string(1), row.string(2)), field: row.optionalString(3),
            code: ErrorCode(rawValue: row.string(4)) ?? .conflict, sent: try JSON(parsing: row.text(5)),
            kept: try JSON(parsing: row.text(6)), batchID: row.optionalString(7))
        self.init(id: row.integer(0), project: row.string(9), edit: edit, at: row.instant(8))
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
