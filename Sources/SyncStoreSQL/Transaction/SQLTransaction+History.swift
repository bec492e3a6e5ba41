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
        let edits = edits.eachLossOnce
        try write(entries(about: edits, in: project).map { [.int($0)] }, "DELETE FROM tidemark_inbox WHERE id = ?1")
        let sql = """
            INSERT INTO tidemark_inbox (
              project_id, user_id, collection, row_id, field, code, sent, kept, batch_id, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        try write(edits.map { [.string(project)] + $0.columns + [.int(at.milliseconds)] }, sql)
    }

    /// The ids of entries about the same losses. However many entries a row has, they are read once.
    private func entries(about edits: [LostEdit], in project: String) throws -> [Int64] {
        var ids: [Int64] = []
        for (user, edits) in Dictionary(grouping: edits, by: \.userID) {
            let losses = Set(edits.map(Loss.init))
            for rows in ValueChunks.of(Set(edits.map(\.key.id)).sorted().map(JSON.string)) {
                let places = rows.indices.map { "?\($0 + 3)" }.joined(separator: ", ")
                let sql = """
                    SELECT id, collection, row_id, field, code, sent FROM tidemark_inbox
                    WHERE user_id = ?1 AND project_id = ?2 AND row_id IN (\(places))
                    """
                try each(sql, [.int(user), .string(project)] + rows, isKept: true) { row in
                    if losses.contains(Loss(row)) { ids.append(row.integer(0)) }
                    return true
                }
            }
        }
        return ids
    }

    package func trimInbox(of user: Int64, project: String, to bytes: Int) throws {
        try run(statements.trimInbox, [.int(user), .string(project), .int(Int64(bytes))])
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
            kept: try JSON(parsing: row.text(6)), isCut: row.text(5).first == LostEdit.cutMark,
            batchID: row.optionalString(7))
        self.init(id: row.integer(0), project: row.string(9), edit: edit, at: row.instant(8))
    }
}

/// What makes two entries of a user about the same loss.
private struct Loss: Hashable {
    let collection: String
    let row: String
    let field: String?
    let code: String
    let sent: ExactText

    init(_ edit: LostEdit) {
        (collection, row, field) = (edit.key.collection, edit.key.id, edit.field)
        (code, sent) = (edit.code.rawValue, ExactText(edit.sentText))
    }

    /// Reads columns 1 to 5.
    init(_ row: some SQLRow) {
        (collection, self.row, field) = (row.string(1), row.string(2), row.optionalString(3))
        (code, sent) = (row.string(4), ExactText(row.string(5)))
    }
}

extension [LostEdit] {
    /// Of several about the same loss, the last.
    fileprivate var eachLossOnce: [LostEdit] {
        guard count > 1 else { return self }
        var seen: [Int64: Set<Loss>] = [:]
        return Array(reversed().filter { seen[$0.userID, default: []].insert(Loss($0)).inserted }.reversed())
    }
}

extension LostEdit {
    /// A text of JSON may begin with white space. A value of which only the first part is kept does.
    fileprivate static let cutMark = UInt8(ascii: " ")

    fileprivate var sentText: String { isCut ? " " + sent.text : sent.text }

    fileprivate var columns: [JSON] {
        [
            .int(userID), .string(key.collection), .string(key.id), field.map(JSON.string) ?? .null,
            .string(code.rawValue), .string(sentText), .string(kept.text), batchID.map(JSON.string) ?? .null,
        ]
    }
}
