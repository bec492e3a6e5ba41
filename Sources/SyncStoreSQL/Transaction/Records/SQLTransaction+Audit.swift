package import SyncProtocol
package import SyncStore

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
