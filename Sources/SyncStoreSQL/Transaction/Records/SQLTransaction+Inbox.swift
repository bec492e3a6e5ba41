package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    package func inbox(
        of user: Int64, project: String?, since date: Instant, after: Int64, limit: Int, bytes: Int
    ) throws -> BoundedList<InboxEntry> {
        let sql = """
            SELECT id, collection, row_id, field, code, sent, kept, batch_id, at, project_id FROM tidemark_inbox
            WHERE user_id = ?1 AND id > ?2 AND at >= ?3\(Self.isOf(project, "?5")) ORDER BY id LIMIT ?4
            """
        let values: [JSON] =
            [.int(user), .int(after), .int(date.milliseconds), .int(Int64(limit + 1))]
            + (project.map { [.string($0)] } ?? [])
        var entries = BoundedList<InboxEntry>(bytes: bytes)
        try each(sql, values, isKept: true) { row in
            entries.take(try InboxEntry(row, of: user), texts: row.text(5).count + row.text(6).count)
        }
        entries.cut(to: limit)
        return entries
    }

    /// No condition for all projects.
    private static func isOf(_ project: String?, _ place: String) -> String {
        project == nil ? "" : " AND project_id = \(place)"
    }

    package func lostEdits(_ selection: LostEditSelection, limit: Int) throws -> [LostEditNote] {
        var list = NewestFirst(since: selection.since, before: selection.before, limit: limit)
        list.require(selection.user.map(JSON.int)) { "user_id = \($0)" }
        list.require(selection.project.map(JSON.string)) { "project_id = \($0)" }
        let sql = """
            SELECT id, collection, row_id, field, code, batch_id, at, project_id, user_id
            FROM tidemark_inbox \(list.sql)
            """
        return try all(sql, list.values) { row in
            LostEditNote(
                id: row.integer(0), project: row.string(7), user: row.integer(8),
                key: RowKey(row.string(1), row.string(2)), field: row.optionalString(3),
                code: ErrorCode(rawValue: row.string(4)) ?? .conflict, batchID: row.optionalString(5),
                at: row.instant(6))
        }
    }

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
        let (condition, value): (String, JSON) =
            switch selection {
            case .entry(let id): ("id = ?2", .int(id))
            case .row(let id): ("row_id = ?2", .string(id))
            }
        let sql = "DELETE FROM tidemark_inbox WHERE user_id = ?1 AND \(condition)\(Self.isOf(project, "?3"))"
        return try change(sql, [.int(user), value] + (project.map { [.string($0)] } ?? [])) > 0
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
