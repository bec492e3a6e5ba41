package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    package func audit(_ selection: AuditSelection, limit: Int) throws -> [StoredAuditEntry] {
        var (conditions, values): ([String], [JSON]) = (
            ["at >= ?1"], [.int(selection.since.milliseconds), .int(Int64(limit))]
        )
        func add(_ condition: (String) -> String, _ value: JSON) {
            values.append(value)
            conditions.append(condition("?\(values.count)"))
        }
        if let before = selection.before { add({ "id < \($0)" }, .int(before)) }
        if let user = selection.user { add({ "(actor_id = \($0) OR subject_id = \($0))" }, .int(user)) }
        if let project = selection.project { add({ "project_id = \($0)" }, .string(project)) }
        if let action = selection.action { add({ "action = \($0)" }, .string(action.rawValue)) }
        let sql = """
            SELECT id, at, action, actor_id, actor_name, credential, address, subject_id, project_id, details
            FROM tidemark_audit WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?2
            """
        return try all(sql, values) { try StoredAuditEntry($0) }
    }

    package func audit(_ entry: AuditEntry) throws {
        try run(
            """
            INSERT INTO tidemark_audit (
              at, action, actor_id, actor_name, credential, address, subject_id, project_id, details)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """,
            [
                .int(entry.at.milliseconds), .string(entry.action.rawValue),
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
                AuditAction(rawValue: row.string(2)), by: actor, subject: row.optionalInteger(7),
                project: row.optionalString(8),
                details: try JSON(parsing: row.text(9)).object ?? [:], at: row.instant(1)))
    }
}
