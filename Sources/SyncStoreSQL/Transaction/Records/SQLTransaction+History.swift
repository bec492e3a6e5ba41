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
        self.init(
            key: key, project: row.string(0), version: ServerVersion(row.integer(1)), seq: SyncSeq(row.integer(2)),
            origin: origin, at: row.instant(6),
            editedAt: row.instant(7),
            replaced: try JSON(parsing: row.text(8)).object ?? [:], sightings: try row.sightings(9))
    }

    fileprivate var columns: [JSON] {
        [
            .string(key.collection), .string(key.id), .int(version.rawValue), .string(project), .int(seq.rawValue),
        ] + origin.columns + [
            .int(at.milliseconds), .int(editedAt.milliseconds), .string(JSON.object(replaced).text),
        ]
    }
}

extension Origin {
    fileprivate var columns: [JSON] {
        [.int(userID), (device?.rawValue).map(JSON.string) ?? .null, .string(credential.rawValue)]
    }
}

extension SQLRow {
    /// Reads a list of `[user, device, credential, fields]`. Empty if the column is null.
    fileprivate func sightings(_ column: Int32) throws -> [RowChange.Sighting] {
        guard !isNull(column) else { return [] }
        return try (JSON(parsing: text(column)).array ?? []).compactMap { json in
            guard let members = json.array, members.count == 4, let user = members[0].int,
                let credential = members[2].string
            else { return nil }
            let fields = Set((members[3].array ?? []).compactMap(\.string))
            let origin = Origin(
                userID: user, device: members[1].string.map { ExactText($0) }, credential: ExactText(credential))
            return RowChange.Sighting(origin: origin, fields: fields)
        }
    }
}

extension [RowChange.Sighting] {
    fileprivate var json: JSON {
        .array(
            map { sighting in
                .array(sighting.origin.columns + [.array(sighting.fields.sorted().map(JSON.string))])
            })
    }
}
