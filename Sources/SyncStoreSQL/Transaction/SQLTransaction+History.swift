package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    /// Reads from the newest change back to the base, so older changes cost nothing.
    package func changes(of key: RowKey, since base: EditBase, bytes: Int) throws -> BoundedList<RowChange> {
        let sql = """
            SELECT project_id, server_version, sync_seq, user_id, device, credential, at, edited_at, replaced,
              sightings
            FROM tidemark_changes WHERE collection = ?1 AND row_id = ?2 ORDER BY server_version DESC
            """
        var changes = BoundedList<RowChange>(bytes: bytes)
        try each(sql, [.string(key.collection), .string(key.id)], isKept: true) { row in
            // The values are forgotten, and nothing older leads back to anything.
            guard row.text(8).first != UInt8(ascii: "[") else {
                changes.cut()
                return false
            }
            let change = try RowChange(row, of: key)
            return base.precedes(change) && changes.take(change, texts: row.text(8).count)
        }
        return changes
    }

    package func trimChanges(of user: Int64, project: String, to bytes: Int) throws {
        try run(statements.trimChanges, [.int(user), .string(project), .int(Int64(bytes))])
    }

    package func remember(_ changes: [RowChange]) throws {
        let sql = """
            INSERT INTO tidemark_changes (
              collection, row_id, server_version, project_id, sync_seq, user_id, device, credential, at, edited_at,
              replaced)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        try write(changes.map(\.columns), sql)
    }

    package func note(_ sighting: RowChange.Sighting, of key: RowKey, at version: ServerVersion) throws {
        let place = "WHERE collection = ?1 AND row_id = ?2 AND server_version = ?3"
        let values: [JSON] = [.string(key.collection), .string(key.id), .int(version.rawValue)]
        let known = try all("SELECT sightings FROM tidemark_changes \(place)", values) { try $0.sightings(0) }
        guard var sightings = known.first, sightings.note(sighting) else { return }
        try write([values + [.string(sightings.json.text)]], "UPDATE tidemark_changes SET sightings = ?4 \(place)")
    }

    package func forgetChanges(before date: Instant, limit: Int) throws -> Int {
        let forgotten = try all(
            """
            DELETE FROM tidemark_changes WHERE (collection, row_id, server_version) IN (
              SELECT collection, row_id, server_version FROM tidemark_changes WHERE at < ?1 ORDER BY at LIMIT ?2)
            RETURNING project_id, sync_seq
            """, [.int(date.milliseconds), .int(Int64(limit))]
        ) { ($0.string(0), $0.integer(1)) }
        for (project, floor) in Dictionary(forgotten, uniquingKeysWith: max) {
            try run(statements.raiseHistoryFloor, [.string(project), .int(floor)])
        }
        return forgotten.count
    }
}

extension RowChange {
    fileprivate init(_ row: some SQLRow, of key: RowKey) throws {
        let origin = Origin(
            userID: row.integer(3), device: row.optionalString(4).map { ExactText($0) },
            credential: ExactText(row.string(5)))
        let values = RowChange.fields(of: try JSON(parsing: row.text(8)).object ?? [:])
        self.init(
            key: key, project: row.string(0), version: ServerVersion(row.integer(1)), seq: SyncSeq(row.integer(2)),
            origin: origin, at: row.instant(6), editedAt: row.instant(7), replaced: values.replaced, sent: values.sent,
            sightings: try row.sightings(9))
    }

    fileprivate var columns: [JSON] {
        [
            .string(key.collection), .string(key.id), .int(version.rawValue), .string(project), .int(seq.rawValue),
        ] + origin.columns + [
            .int(at.milliseconds), .int(editedAt.milliseconds), .string(JSON.object(values).text),
        ]
    }
}

extension Origin {
    fileprivate var columns: [JSON] {
        [.int(userID), (device?.rawValue).map(JSON.string) ?? .null, .string(credential.rawValue)]
    }
}

extension SQLRow {
    /// Reads a list of `[user, device, credential, fields]` or `[user, device, credential, fields, sent]`. Empty if the
    /// column is null.
    fileprivate func sightings(_ column: Int32) throws -> [RowChange.Sighting] {
        guard !isNull(column) else { return [] }
        return try (JSON(parsing: text(column)).array ?? []).compactMap { json in
            guard let members = json.array, 4...5 ~= members.count, let user = members[0].int,
                let credential = members[2].string
            else { return nil }
            let fields = Set((members[3].array ?? []).compactMap(\.string))
            let origin = Origin(
                userID: user, device: members[1].string.map { ExactText($0) }, credential: ExactText(credential))
            let sent = members.count > 4 ? members[4].object ?? [:] : [:]
            return RowChange.Sighting(origin: origin, fields: fields, sent: sent)
        }
    }
}

extension [RowChange.Sighting] {
    fileprivate var json: JSON {
        .array(
            map { sighting in
                .array(
                    sighting.origin.columns + [.array(sighting.fields.sorted().map(JSON.string))]
                        + (sighting.sent.isEmpty ? [] : [.object(sighting.sent)]))
            })
    }
}

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
        collection = edit.key.collection
        row = edit.key.id
        field = edit.field
        code = edit.code.rawValue
        sent = ExactText(edit.sentText)
    }

    /// Reads columns 1 to 5.
    init(_ row: some SQLRow) {
        collection = row.string(1)
        self.row = row.string(2)
        field = row.optionalString(3)
        code = row.string(4)
        sent = ExactText(row.string(5))
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

extension SQLTransaction {
    package func audit(_ selection: AuditSelection, limit: Int) throws -> [StoredAuditEntry] {
        var list = NewestFirst(since: selection.since, before: selection.before, limit: limit)
        list.require(selection.user.map(JSON.int)) { "(actor_id = \($0) OR subject_id = \($0))" }
        list.require(selection.project.map(JSON.string)) { "project_id = \($0)" }
        list.require(selection.action.map { .string($0.rawValue) }) { "action = \($0)" }
        let sql = """
            SELECT id, at, action, actor_id, actor_name, credential, address, subject_id, project_id, details
            FROM tidemark_audit \(list.sql)
            """
        return try all(sql, list.values) { try StoredAuditEntry($0) }
    }

    package func audit(_ entry: AuditEntry) throws {
        try run(
            """
            INSERT INTO tidemark_audit (
              at, action, actor_id, actor_name, credential, address, subject_id, project_id, details)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """,
            [
                .int(entry.at.milliseconds), .string(entry.action),
                entry.actor.userID.map(JSON.int) ?? .null, .string(entry.actor.name.rawValue),
                .string(entry.actor.credential.rawValue), entry.actor.address.map(JSON.string) ?? .null,
                entry.subject.map(JSON.int) ?? .null, entry.project.map(JSON.string) ?? .null,
                .string(JSON.object(entry.details).text),
            ])
    }

    package func forgetAudit(before date: Instant, limit: Int) throws -> Int {
        try change(
            "DELETE FROM tidemark_audit WHERE id IN (SELECT id FROM tidemark_audit WHERE at < ?1 LIMIT ?2)",
            [.int(date.milliseconds), .int(Int64(limit))])
    }
}

extension StoredAuditEntry {
    fileprivate init(_ row: some SQLRow) throws {
        let actor = Actor(
            userID: row.optionalInteger(3), name: ExactText(row.string(4)), credential: ExactText(row.string(5)),
            address: row.optionalString(6))
        self.init(
            id: row.integer(0),
            AuditEntry(
                named: row.string(2), by: actor, subject: row.optionalInteger(7),
                project: row.optionalString(8),
                details: try JSON(parsing: row.text(9)).object ?? [:], at: row.instant(1)))
    }
}

/// The conditions of a list of records that begins with the newest one, and their values. ?1 is the oldest moment, ?2
/// the limit.
struct NewestFirst {
    private(set) var values: [JSON]
    private var conditions = ["at >= ?1"]

    init(since: Instant, before id: Int64?, limit: Int) {
        values = [.int(since.milliseconds), .int(Int64(limit))]
        require(id.map(JSON.int)) { "id < \($0)" }
    }

    /// Adds a condition, unless the value is nil. `condition` makes it of the value's parameter.
    mutating func require(_ value: JSON?, _ condition: (_ parameter: String) -> String) {
        guard let value else { return }
        values.append(value)
        conditions.append(condition("?\(values.count)"))
    }

    /// From `WHERE` to the end of the statement.
    var sql: String { "WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?2" }
}
