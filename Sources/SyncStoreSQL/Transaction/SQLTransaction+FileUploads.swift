package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    private static var uploadColumns: String {
        "id, project_id, user_id, digest, length, reserved, received, turn, moved_at, finished_at"
    }

    // MARK: Reads

    package func fileUpload(_ id: String) throws -> FileUpload? {
        try first("SELECT \(Self.uploadColumns) FROM tidemark_uploads WHERE id = ?1", [.string(id)]) { FileUpload($0) }
    }

    package func parts(ofUpload id: String) throws -> [FileUpload.Part] {
        let sql = "SELECT name, bytes FROM tidemark_upload_parts WHERE upload_id = ?1 ORDER BY number"
        return try all(sql, [.string(id)]) { FileUpload.Part(name: $0.string(0), bytes: $0.integer(1)) }
    }

    package func unfinishedUpload(of digest: String, to project: String, by user: Int64) throws -> FileUpload? {
        let sql = """
            SELECT \(Self.uploadColumns) FROM tidemark_uploads
            WHERE user_id = ?1 AND project_id = ?2 AND digest = ?3 AND finished_at IS NULL
            ORDER BY moved_at DESC, id LIMIT 1
            """
        return try first(sql, [.int(user), .string(project), .string(digest)]) { FileUpload($0) }
    }

    package func uploadUse(of user: Int64, quietSince quiet: Instant) throws -> FileUse {
        try uploadUse(where: "user_id = ?1", .int(user), quietSince: quiet)
    }

    package func uploadUse(in project: String, quietSince quiet: Instant) throws -> FileUse {
        try uploadUse(where: "project_id = ?1", .string(project), quietSince: quiet)
    }

    private func uploadUse(where condition: String, _ value: JSON, quietSince quiet: Instant) throws -> FileUse {
        let sql = """
            SELECT count(*), CAST(COALESCE(sum(CASE WHEN moved_at < ?2 THEN received ELSE reserved END), 0) AS BIGINT)
            FROM tidemark_uploads WHERE \(condition) AND finished_at IS NULL
            """
        return try first(sql, [value, .int(quiet.milliseconds)]) {
            FileUse(files: Int($0.integer(0)), bytes: $0.integer(1))
        } ?? FileUse()
    }

    package func oldUploads(movedBefore: Instant, finishedBefore: Instant, limit: Int) throws -> [FileUpload] {
        let sql = """
            SELECT \(Self.uploadColumns) FROM tidemark_uploads WHERE moved_at < ?1 OR finished_at < ?2
            ORDER BY moved_at, id LIMIT ?3
            """
        let values: [JSON] = [
            .int(movedBefore.milliseconds), .int(finishedBefore.milliseconds), .int(Int64(limit)),
        ]
        return try all(sql, values) { FileUpload($0) }
    }

    package func knownParts(among names: [String]) throws -> Set<String> {
        var known: Set<String> = []
        for chunk in ValueChunks.of(names.map(JSON.string)) {
            let list = (1...chunk.count).map { "?\($0)" }.joined(separator: ", ")
            let sql = "SELECT name FROM tidemark_upload_parts WHERE name IN (\(list))"
            known.formUnion(try all(sql, chunk) { $0.string(0) })
        }
        return known
    }

    // MARK: Writes

    package func add(_ upload: FileUpload) throws {
        try run(
            """
            INSERT INTO tidemark_uploads (\(Self.uploadColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """,
            [
                .string(upload.id), .string(upload.project), .int(upload.user), .string(upload.digest),
                upload.length.map(JSON.int) ?? .null, .int(upload.reserved), .int(upload.received), .int(upload.turn),
                .int(upload.movedAt.milliseconds), upload.finishedAt.map { .int($0.milliseconds) } ?? .null,
            ])
    }

    package func takeTurn(ofUpload id: String) throws -> FileUpload? {
        try run("UPDATE tidemark_uploads SET turn = turn + 1 WHERE id = ?1", [.string(id)])
        return try fileUpload(id)
    }

    package func note(_ part: FileUpload.Part, ofUpload id: String, at now: Instant) throws {
        let values: [JSON] = [.string(id), .string(part.name), .int(part.bytes)]
        let update = "UPDATE tidemark_upload_parts SET bytes = ?3 WHERE upload_id = ?1 AND name = ?2"
        if try change(update, values) == 0 {
            try run(
                """
                INSERT INTO tidemark_upload_parts (upload_id, number, name, bytes)
                SELECT CAST(?1 AS TEXT), COALESCE(max(number), 0) + 1, CAST(?2 AS TEXT), CAST(?3 AS BIGINT)
                FROM tidemark_upload_parts WHERE upload_id = ?1
                """, values)
        }
        try run(
            """
            UPDATE tidemark_uploads SET moved_at = ?2,
              received = (SELECT sum(bytes) FROM tidemark_upload_parts WHERE upload_id = ?1)
            WHERE id = ?1
            """, [.string(id), .int(now.milliseconds)])
    }

    package func finish(_ upload: FileUpload, bytes: Int64, at now: Instant) throws {
        try run("DELETE FROM tidemark_upload_parts WHERE upload_id = ?1", [.string(upload.id)])
        try run(
            "UPDATE tidemark_uploads SET finished_at = ?2, received = ?3 WHERE id = ?1",
            [.string(upload.id), .int(now.milliseconds), .int(bytes)])
    }

    package func forget(_ upload: FileUpload) throws {
        try run("DELETE FROM tidemark_upload_parts WHERE upload_id = ?1", [.string(upload.id)])
        try run("DELETE FROM tidemark_uploads WHERE id = ?1", [.string(upload.id)])
    }
}

extension FileUpload {
    fileprivate init(_ row: some SQLRow) {
        self.init(
            id: row.string(0), project: row.string(1), user: row.integer(2), digest: row.string(3),
            length: row.optionalInteger(4), reserved: row.integer(5), received: row.integer(6), turn: row.integer(7),
            movedAt: Instant(milliseconds: row.integer(8)),
            finishedAt: row.optionalInteger(9).map { Instant(milliseconds: $0) })
    }
}
