package import SyncProtocol
package import SyncStore

extension SQLTransaction {
    private static var nameColumns: String { "digest, collection, row_id, field, set_by, is_stored" }

    private static var comparedSetting: String { "files_compared_at" }

    // MARK: Reads

    package func file(_ digest: String, of project: String) throws -> StoredFile? {
        let sql = "SELECT \(StoredFile.columns) FROM tidemark_files WHERE project_id = ?1 AND digest = ?2"
        return try first(sql, [.string(project), .string(digest)]) { StoredFile($0) }
    }

    package func hasSent(_ digest: String, to project: String, by user: Int64) throws -> Bool {
        let sql = "SELECT 1 FROM tidemark_file_senders WHERE project_id = ?1 AND digest = ?2 AND user_id = ?3"
        return try first(sql, [.string(project), .string(digest), .int(user)]) { _ in true } ?? false
    }

    package func namedFile(_ digest: String, of project: String, by key: RowKey, field: String) throws -> NamedFile? {
        let sql = """
            SELECT \(Self.nameColumns) FROM tidemark_file_names
            WHERE project_id = ?1 AND digest = ?2 AND collection = ?3 AND row_id = ?4 AND field = ?5
            """
        let place: [JSON] = [
            .string(project), .string(digest), .string(key.collection), .string(key.id), .string(field),
        ]
        return try first(sql, place) { NamedFile($0) }
    }

    package func namedFiles(
        _ digest: String, of project: String, isStored: Bool, after: NamedFile?, limit: Int
    ) throws -> [NamedFile] {
        let sql = """
            SELECT \(Self.nameColumns) FROM tidemark_file_names
            WHERE project_id = ?1 AND digest = ?2 AND (collection, row_id, field) > (?3, ?4, ?5) AND is_stored = ?6
            ORDER BY collection, row_id, field LIMIT ?7
            """
        let values: [JSON] = [
            .string(project), .string(digest), .string(after?.key.collection ?? ""), .string(after?.key.id ?? ""),
            .string(after?.field ?? ""), .int(isStored ? 1 : 0), .int(Int64(limit)),
        ]
        return try all(sql, values) { NamedFile($0) }
    }

    package func fileUse(of project: String) throws -> FileUse {
        let sql = "SELECT files, bytes FROM tidemark_file_use WHERE project_id = ?1"
        return try first(sql, [.string(project)]) { FileUse(files: Int($0.integer(0)), bytes: $0.integer(1)) }
            ?? FileUse()
    }

    package func unnamedFiles(before date: Instant, limit: Int) throws -> [StoredFile] {
        let sql = """
            SELECT \(StoredFile.columns) FROM tidemark_files WHERE unnamed_at < ?1
            ORDER BY unnamed_at, project_id, digest LIMIT ?2
            """
        return try all(sql, [.int(date.milliseconds), .int(Int64(limit))]) { StoredFile($0) }
    }

    package func knownPlaces(among places: [String]) throws -> Set<String> {
        var known: Set<String> = []
        for chunk in ValueChunks.of(places.map(JSON.string)) {
            let list = (1...chunk.count).map { "?\($0)" }.joined(separator: ", ")
            let sql = """
                SELECT place FROM tidemark_files WHERE place IN (\(list))
                UNION ALL SELECT place FROM tidemark_missing_files WHERE place IN (\(list))
                """
            known.formUnion(try all(sql, chunk) { $0.string(0) })
        }
        return known
    }

    package func storedFiles(areMissing: Bool, after: StoredFile?, limit: Int) throws -> [StoredFile] {
        let source =
            areMissing
            ? "project_id, digest, size, place, NULL FROM tidemark_missing_files"
            : "\(StoredFile.columns) FROM tidemark_files"
        return try all(
            "SELECT \(source) WHERE (project_id, digest) > (?1, ?2) ORDER BY project_id, digest LIMIT ?3",
            [.string(after?.project ?? ""), .string(after?.digest ?? ""), .int(Int64(limit))]
        ) { StoredFile($0) }
    }

    package func comparesFiles() throws -> Bool { try setting(RestoreJump.filesMark) != nil }

    package func filesComparedAt() throws -> Instant? {
        try setting(Self.comparedSetting).flatMap(Int64.init).map { Instant(milliseconds: $0) }
    }

    // MARK: Writes

    package func add(_ file: StoredFile) throws {
        try run(
            "DELETE FROM tidemark_missing_files WHERE project_id = ?1 AND digest = ?2",
            [.string(file.project), .string(file.digest)])
        try run(
            "INSERT INTO tidemark_files (\(StoredFile.columns)) VALUES (?1, ?2, ?3, ?4, ?5)",
            [
                .string(file.project), .string(file.digest), .int(file.size), .string(file.place),
                file.unnamedSince.map { .int($0.milliseconds) } ?? .null,
            ])
        try count(files: 1, bytes: file.size, of: file.project)
    }

    package func noteSender(of digest: String, to project: String, _ user: Int64) throws {
        try run(
            """
            INSERT INTO tidemark_file_senders (project_id, digest, user_id) VALUES (?1, ?2, ?3)
            ON CONFLICT (project_id, digest, user_id) DO NOTHING
            """, [.string(project), .string(digest), .int(user)])
    }

    package func name(_ files: [NamedFile], in project: String) throws {
        try write(
            files.map { place(of: $0, in: project) + [.int($0.setBy), .int($0.isStored ? 1 : 0)] },
            """
            INSERT INTO tidemark_file_names (project_id, \(Self.nameColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (project_id, digest, collection, row_id, field) DO UPDATE
            SET set_by = excluded.set_by, is_stored = excluded.is_stored
            """)
    }

    package func unname(_ files: [NamedFile], in project: String) throws {
        try write(
            files.map { place(of: $0, in: project) },
            """
            DELETE FROM tidemark_file_names
            WHERE project_id = ?1 AND digest = ?2 AND collection = ?3 AND row_id = ?4 AND field = ?5
            """)
    }

    package func unnameAllFiles(of project: String, at now: Instant) throws {
        try run("DELETE FROM tidemark_file_names WHERE project_id = ?1", [.string(project)])
        try run(
            "UPDATE tidemark_files SET unnamed_at = ?2 WHERE project_id = ?1 AND unnamed_at IS NULL",
            [.string(project), .int(now.milliseconds)])
    }

    package func markUnnamed(_ digests: Set<String>, of project: String, at now: Instant) throws {
        try write(
            digests.sorted().map { [.string(project), .string($0), .int(now.milliseconds)] },
            """
            UPDATE tidemark_files SET unnamed_at = CASE WHEN EXISTS (
              SELECT 1 FROM tidemark_file_names n WHERE n.project_id = ?1 AND n.digest = ?2
            ) THEN NULL ELSE COALESCE(unnamed_at, ?3) END
            WHERE project_id = ?1 AND digest = ?2
            """)
    }

    package func forget(_ file: StoredFile) throws {
        let place: [JSON] = [.string(file.project), .string(file.digest)]
        guard try remove(file) else { return }
        try run("DELETE FROM tidemark_file_senders WHERE project_id = ?1 AND digest = ?2", place)
    }

    package func noteMissing(_ file: StoredFile, at now: Instant) throws {
        guard try remove(file) else { return }
        try run(
            """
            INSERT INTO tidemark_missing_files (project_id, digest, size, place, missing_at)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """,
            [
                .string(file.project), .string(file.digest), .int(file.size), .string(file.place),
                .int(now.milliseconds),
            ])
    }

    package func forgetMissing(before date: Instant) throws {
        let old = "tidemark_missing_files m WHERE m.missing_at < ?1"
        try run(
            """
            DELETE FROM tidemark_file_senders WHERE EXISTS (
              SELECT 1 FROM \(old) AND m.project_id = tidemark_file_senders.project_id
              AND m.digest = tidemark_file_senders.digest)
            """, [.int(date.milliseconds)])
        try run("DELETE FROM tidemark_missing_files WHERE missing_at < ?1", [.int(date.milliseconds)])
    }

    package func noteFilesCompared(at now: Instant) throws {
        try set(RestoreJump.filesMark, to: nil)
        try set(Self.comparedSetting, to: String(now.milliseconds))
    }

    /// Whether the project had the file.
    private func remove(_ file: StoredFile) throws -> Bool {
        let place: [JSON] = [.string(file.project), .string(file.digest)]
        guard try change("DELETE FROM tidemark_files WHERE project_id = ?1 AND digest = ?2", place) > 0 else {
            return false
        }
        try count(files: -1, bytes: -file.size, of: file.project)
        return true
    }

    private func count(files: Int64, bytes: Int64, of project: String) throws {
        let values: [JSON] = [.string(project), .int(files), .int(bytes)]
        let update = "UPDATE tidemark_file_use SET files = files + ?2, bytes = bytes + ?3 WHERE project_id = ?1"
        guard try change(update, values) == 0 else { return }
        try run("INSERT INTO tidemark_file_use (project_id, files, bytes) VALUES (?1, ?2, ?3)", values)
    }

    /// The key of its record.
    private func place(of file: NamedFile, in project: String) -> [JSON] {
        [
            .string(project), .string(file.digest), .string(file.key.collection), .string(file.key.id),
            .string(file.field),
        ]
    }
}

extension StoredFile {
    /// What `init` reads.
    package static var columns: String { "project_id, digest, size, place, unnamed_at" }

    /// From a row with `columns`.
    package init(_ row: some SQLRow) {
        self.init(
            project: row.string(0), digest: row.string(1), size: row.integer(2), place: row.string(3),
            unnamedSince: row.optionalInteger(4).map { Instant(milliseconds: $0) })
    }
}

extension NamedFile {
    fileprivate init(_ row: some SQLRow) {
        self.init(
            digest: row.string(0), key: RowKey(row.string(1), row.string(2)), field: row.string(3),
            setBy: row.integer(4), isStored: row.integer(5) == 1)
    }
}
