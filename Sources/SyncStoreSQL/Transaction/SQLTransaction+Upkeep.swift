package import SyncProtocol
import SyncSchema
package import SyncStore

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
            (storage.rows, storage.tombstones) = (Int(row.integer(0)), Int(row.integer(1)))
            storage.history = Int(row.integer(2))
            (storage.answers, storage.inbox) = (Int(row.integer(3)), Int(row.integer(4)))
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
            (storage.rejected, storage.answers) = (Int(row.integer(0)), Int(row.integer(1)))
            (storage.digests, storage.growth.commits) = (Int(row.integer(2)), Int(row.integer(3)))
            return row.optionalInteger(4)
        }
        guard let firstCommit = firstCommit ?? nil else { return storage }
        _ = try first(
            Self.growth(registry.collections), [.string(project), .int(Int64(most)), .int(firstCommit)]
        ) { row in
            (storage.growth.rows, storage.growth.tombstones) = (Int(row.integer(0)), Int(row.integer(1)))
        }
        return storage
    }

    /// Counts what belongs to the project ?1, up to ?2 of each kind, and its commits from the number ?3 on. The last
    /// column is the project's own number of the first of them.
    private static var recordCounts: String {
        func count(_ table: String, _ condition: String, _ name: String) -> String {
            "(SELECT count(*) FROM (SELECT 1 AS one FROM \(table) WHERE \(condition) LIMIT ?2) AS \(name))"
        }
        return """
            SELECT \(count("tidemark_inbox", "project_id = ?1", "inbox")),
              \(count("tidemark_idempotency", "scope = ?1", "answers")),
              \(count("tidemark_digests", "project_id = ?1", "digests")),
              \(count("tidemark_numbers", "project_id = ?1 AND no >= ?3", "commits")),
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
                case .everyone, .gate, .inherited: "created_seq"
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
        var (low, high, found) = (Int64(0), try newestNumber().rawValue + 1, Int64?.none)
        while low < high {
            let middle = low + (high - low) / 2
            let next = try first(
                "SELECT no, at FROM tidemark_numbers WHERE no >= ?1 ORDER BY no LIMIT 1", [.int(middle)]
            ) { (number: $0.integer(0), at: $0.integer(1)) }
            if let next, next.at < date.milliseconds {
                low = next.number + 1
            } else {
                (high, found) = (middle, next?.number ?? found)
            }
        }
        return found.map { CommitNumber($0) }
    }
}
