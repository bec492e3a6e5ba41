package import SyncProtocol
package import SyncSchema
package import SyncStore

extension SQLTransaction {
    package func projectIDs(after: String, limit: Int) throws -> [String] {
        let sql = "SELECT id FROM tidemark_projects WHERE id > ?1 ORDER BY id LIMIT ?2"
        return try all(sql, [.string(after), .int(Int64(limit))]) { $0.string(0) }
    }

    package func raiseHorizon(of project: String, to seq: SyncSeq) throws {
        try run(
            "UPDATE tidemark_projects SET horizon = ?2 WHERE id = ?1 AND horizon < ?2",
            [.string(project), .int(seq.rawValue)])
    }

    package func forgetFormerOwners(of project: String) throws {
        try run(
            """
            DELETE FROM tidemark_former_owners WHERE project_id = ?1
            AND sync_seq <= (SELECT horizon FROM tidemark_projects WHERE id = ?1)
            """, [.string(project)])
        try run(
            """
            DELETE FROM tidemark_listed WHERE project_id = ?1 AND gone_seq IS NOT NULL
            AND sync_seq <= (SELECT horizon FROM tidemark_projects WHERE id = ?1)
            """, [.string(project)])
    }

    // MARK: Rows

    package func purge(
        _ collection: Collection, project: String, upTo upper: SyncSeq, from position: PurgePosition, limit: Int
    ) throws -> PurgeStep {
        try touch(project)
        noteWrite(of: nil, in: collection)
        let query = layout(collection).purge
        let values: [JSON] = [
            .string(project), .int(position.key.seq.rawValue), .string(position.key.id), .int(upper.rawValue),
            .int(Int64(limit)),
        ]
        let found = try all(query.candidates, values) {
            KeysetPosition(seq: SyncSeq($0.integer(0)), id: $0.string(1))
        }
        var candidates = found.makeIterator()
        var here = position
        var step = PurgeStep()
        for _ in 0..<limit {
            let id: String
            if let parent = here.parents.popLast() {
                id = parent
            } else if let candidate = candidates.next() {
                id = candidate.id
                here.key = candidate
            } else {
                return step
            }
            let gone = try first(query.delete, [.string(id), .string(project), .int(upper.rawValue)]) { row in
                (seq: SyncSeq(row.integer(0)), parents: (1..<row.count).compactMap { row.optionalString($0) })
            }
            guard let gone else { continue }
            step.removed += 1
            step.largest = max(step.largest, gone.seq)
            here.parents += gone.parents
            try forgetTraces(of: id, collection)
        }
        step.next = here
        return step
    }

    /// Deletes what would collide with a new row under the same id.
    private func forgetTraces(of id: String, _ collection: Collection) throws {
        try run(
            "DELETE FROM tidemark_changes WHERE collection = ?1 AND row_id = ?2",
            [.string(collection.name), .string(id)])
        if collection.isListed {
            try run(
                "DELETE FROM tidemark_listed WHERE collection = ?1 AND row_id = ?2",
                [.string(collection.name), .string(id)])
        }
        guard collection.fields.contains(where: \.isListOfIDs) else { return }
        try run(
            "DELETE FROM tidemark_list_references WHERE collection = ?1 AND row_id = ?2",
            [.string(collection.name), .string(id)])
    }
}

extension SQLTransaction {
    package func storage(countingUpTo most: Int) throws -> InstallationStorage {
        var storage = InstallationStorage()
        storage.bytes = try databaseBytes()
        func sum(_ column: String) -> String {
            "(SELECT CAST(COALESCE(SUM(\(column)), 0) AS BIGINT) FROM tidemark_row_counts)"
        }
        // Each column that is named has an index, which is smaller than the table.
        func count(_ table: String, _ column: String) -> String {
            "(SELECT count(*) FROM (SELECT \(column) FROM \(table) LIMIT ?1) AS \(table)_counted)"
        }
        let sql = """
            SELECT \(sum("live")), \(sum("tombstones")), \(count("tidemark_changes", "at")),
              \(count("tidemark_idempotency", "stored_at")), \(count("tidemark_inbox", "at"))
            """
        _ = try first(sql, [.int(Int64(most))]) { row in
            storage.rows = Int(row.integer(0))
            storage.tombstones = Int(row.integer(1))
            storage.history = Int(row.integer(2))
            storage.answers = Int(row.integer(3))
            storage.inbox = Int(row.integer(4))
        }
        return storage
    }

    package func storage(
        of project: String, growingFrom number: CommitNumber?, countingUpTo most: Int
    ) throws -> ProjectStorage {
        var storage = ProjectStorage()
        storage.counts = try counts(project: project)
        let values: [JSON] = [
            .string(project), .int(Int64(most)), .int((number ?? CommitNumber(.max)).rawValue),
        ]
        let firstCommit = try first(Self.recordCounts, values) { row -> Int64? in
            storage.rejected = Int(row.integer(0))
            storage.answers = Int(row.integer(1))
            storage.digests = Int(row.integer(2))
            storage.growth.commits = Int(row.integer(3))
            return row.optionalInteger(4)
        }
        guard let firstCommit = firstCommit ?? nil else { return storage }
        _ = try first(
            Self.growth(registry.collections), [.string(project), .int(Int64(most)), .int(firstCommit)]
        ) { row in
            storage.growth.rows = Int(row.integer(0))
            storage.growth.tombstones = Int(row.integer(1))
        }
        return storage
    }

    /// Counts what belongs to the project ?1, up to ?2 of each kind, and its commits from the number ?3 on. The last
    /// column is the project's own number of the first of them.
    private static var recordCounts: String {
        func count(_ table: String, where condition: String, as name: String) -> String {
            "(SELECT count(*) FROM (SELECT 1 AS one FROM \(table) WHERE \(condition) LIMIT ?2) AS \(name))"
        }
        return """
            SELECT \(count("tidemark_inbox", where: "project_id = ?1", as: "inbox")),
              \(count("tidemark_idempotency", where: "scope = ?1", as: "answers")),
              \(count("tidemark_digests", where: "project_id = ?1", as: "digests")),
              \(count("tidemark_numbers", where: "project_id = ?1 AND no >= ?3", as: "commits")),
              (SELECT sync_seq FROM tidemark_numbers WHERE project_id = ?1 AND no >= ?3 ORDER BY no LIMIT 1)
            """
    }

    /// Counts the rows of the project ?1 that were created, and those that were deleted, by the project's commit ?3 or
    /// a later one, up to ?2 of each collection. Each count is a range of an index.
    static func growth(_ collections: [Collection]) -> String {
        let live = collections.map { collection -> String in
            // A list of an own-only collection's rows begins with their owner.
            let order =
                switch collection.visibility {
                case .own: "sync_seq"
                case .everyone, .listed, .gate, .inherited, .inheritedList: "created_seq"
                }
            return """
                (SELECT count(*) FROM (
                  SELECT created_seq FROM "\(collection.name)"
                  WHERE project_id = ?1 AND is_deleted = 0 AND \(order) >= ?3 LIMIT ?2) AS counted
                WHERE created_seq >= ?3)
                """
        }
        let dead = collections.map { collection in
            """
            (SELECT count(*) FROM (
              SELECT sync_seq FROM "\(collection.name)"
              WHERE project_id = ?1 AND is_deleted = 1 AND sync_seq >= ?3 LIMIT ?2) AS counted)
            """
        }
        return "SELECT \(live.joined(separator: " + ")), \(dead.joined(separator: " + "))"
    }

    package func firstNumber(from date: Instant) throws -> CommitNumber? {
        var low = Int64(0)
        var high = try newestNumber().rawValue + 1
        var found = Int64?.none
        while low < high {
            let middle = low + (high - low) / 2
            let next = try first(
                "SELECT no, at FROM tidemark_numbers WHERE no >= ?1 ORDER BY no LIMIT 1", [.int(middle)]
            ) { (number: $0.integer(0), at: $0.integer(1)) }
            if let next, next.at < date.milliseconds {
                low = next.number + 1
            } else {
                high = middle
                found = next?.number ?? found
            }
        }
        return found.map { CommitNumber($0) }
    }
}

/// Projects whose creation did not finish. They count as deleted and have no row. Every other project keeps its row, as
/// a tombstone once it is deleted.
package enum UnfinishedProjects {
    fileprivate static let tables = [
        "tidemark_former_owners", "tidemark_listed", "tidemark_row_counts", "tidemark_digests", "tidemark_numbers",
        "tidemark_stints", "tidemark_access", "tidemark_file_names", "tidemark_file_senders", "tidemark_file_use",
        "tidemark_files", "tidemark_missing_files",
    ]

    /// The SQL condition on a row `p` of `tidemark_projects`.
    package static func condition(_ registry: Registry) -> String {
        "p.is_deleted = 1 AND NOT EXISTS (SELECT 1 FROM \"\(registry.projects.name)\" t WHERE t.id = p.id)"
    }
}

extension SQLTransaction {
    /// The projects whose creation did not finish, and which nobody has written to since the time.
    package func unfinishedProjects(before limit: Instant) throws -> [String] {
        try all(
            """
            SELECT p.id FROM tidemark_projects p WHERE \(UnfinishedProjects.condition(registry))
              AND (SELECT COALESCE(MAX(n.at), 0) FROM tidemark_numbers n WHERE n.project_id = p.id) BETWEEN 1 AND ?1
            """, [.int(limit.milliseconds)]
        ) { $0.string(0) }
    }

    package func forgetUnfinished(_ project: String) throws {
        try touch(project)
        let condition = UnfinishedProjects.condition(registry)
        let sql = "SELECT 1 FROM tidemark_projects p WHERE \(condition) AND p.id = ?1"
        guard try first(sql, [.string(project)], read: { _ in true }) != nil else { return }
        for collection in registry.collections.reversed() {
            noteWrite(of: nil, in: collection)
            let rows = "\"\(collection.name)\" WHERE project_id = ?1"
            try run(
                """
                DELETE FROM tidemark_list_references
                WHERE collection = '\(collection.name)' AND row_id IN (SELECT id FROM \(rows))
                """, [.string(project)])
            try run("DELETE FROM \(rows)", [.string(project)])
        }
        for table in UnfinishedProjects.tables {
            try run("DELETE FROM \(table) WHERE project_id = ?1", [.string(project)])
        }
        try run("DELETE FROM tidemark_projects WHERE id = ?1", [.string(project)])
    }

    /// Forgets all projects whose creation did not finish. Nobody may be creating one now.
    package func forgetAllUnfinished() throws {
        let condition = UnfinishedProjects.condition(registry)
        let projects = try all("SELECT p.id FROM tidemark_projects p WHERE \(condition)") { $0.string(0) }
        for project in projects { try forgetUnfinished(project) }
    }
}
