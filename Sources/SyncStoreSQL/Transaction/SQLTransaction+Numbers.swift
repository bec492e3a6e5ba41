package import SyncProtocol
import SyncSchema
package import SyncStore

/// A commit's place among the installation's and the project's, and its time.
private typealias TimedCommit = (number: CommitNumber, at: Instant, seq: SyncSeq)

extension SQLTransaction {
    package func newestNumber() throws -> CommitNumber {
        try first(SQLStatements.newestNumber) { CommitNumber($0.integer(0)) } ?? .first
    }

    package func oldestNumber() throws -> CommitNumber {
        try first("SELECT CAST(value AS BIGINT) FROM tidemark_settings WHERE name = 'number_base'") {
            CommitNumber($0.integer(0))
        } ?? .first
    }

    package func newestNumber(of project: String) throws -> CommitNumber? {
        try first("SELECT MAX(no) FROM tidemark_numbers WHERE project_id = ?1", [.string(project)]) {
            $0.optionalInteger(0).map { CommitNumber($0) }
        } ?? nil
    }

    package func head(of project: String, at number: CommitNumber) throws -> SyncSeq? {
        try first(
            "SELECT sync_seq FROM tidemark_numbers WHERE project_id = ?1 AND no <= ?2 ORDER BY no DESC LIMIT 1",
            [.string(project), .int(number.rawValue)]
        ) { SyncSeq($0.integer(0)) }
    }

    package func commits(
        to project: String, after number: CommitNumber, limit: Int
    ) throws -> [NumberedCommit] {
        try all(
            """
            SELECT sync_seq, at, audiences, changes_sight FROM tidemark_numbers
            WHERE project_id = ?1 AND no > ?2 ORDER BY no LIMIT ?3
            """, [.string(project), .int(number.rawValue), .int(Int64(limit))]
        ) { row in
            NumberedCommit(
                project: project, seq: SyncSeq(row.integer(0)), at: Instant(milliseconds: row.integer(1)),
                audiences: CommitAudience.set(row.string(2)), changesSight: row.integer(3) != 0)
        }
    }

    package func numberedCommits(
        after number: CommitNumber, limit: Int
    ) throws -> [(number: CommitNumber, commit: NumberedCommit)] {
        try all(
            """
            SELECT no, project_id, sync_seq, at, audiences, changes_sight FROM tidemark_numbers
            WHERE no > ?1 ORDER BY no, project_id LIMIT ?2
            """, [.int(number.rawValue), .int(Int64(limit))]
        ) { row in
            let commit = NumberedCommit(
                project: row.string(1), seq: SyncSeq(row.integer(2)), at: Instant(milliseconds: row.integer(3)),
                audiences: CommitAudience.set(row.string(4)), changesSight: row.integer(5) != 0)
            return (CommitNumber(row.integer(0)), commit)
        }
    }

    package func commits(after number: CommitNumber, limit: Int) throws -> [PlacedCommit] {
        try all(
            "SELECT no, project_id, changes_sight FROM tidemark_numbers WHERE no > ?1 ORDER BY no, project_id LIMIT ?2",
            [.int(number.rawValue), .int(Int64(limit))]
        ) { row in
            PlacedCommit(
                number: CommitNumber(row.integer(0)), project: row.string(1), changesSight: row.integer(2) != 0)
        }
    }

    package func number(_ commit: NumberedCommit) throws {
        let number = try drawn.number { try newestNumber().rawValue + 1 }
        try write(
            [
                [
                    .int(number), .string(commit.project), .int(commit.seq.rawValue), .int(commit.at.milliseconds),
                    .string(CommitAudience.text(commit.audiences)), .bool(commit.changesSight),
                ]
            ], statements.number)
    }

    // MARK: When commits were made

    package func lastCommit(of project: String, before date: Instant) throws -> SyncSeq? {
        try lastCommit(of: project) { $0.at < date }?.seq
    }

    package func number(of seq: SyncSeq, in project: String) throws -> CommitNumber? {
        let before = try lastCommit(of: project) { $0.seq < seq }?.number
        return try first(
            "SELECT no FROM tidemark_numbers WHERE project_id = ?1 AND no > ?2 ORDER BY no LIMIT 1",
            [.string(project), .int(before?.rawValue ?? 0)]
        ) { CommitNumber($0.integer(0)) }
    }

    /// The last commit that, like all commits before it, fulfils a condition. Found by halving: times and heads of a
    /// project's commits never fall with their numbers.
    private func lastCommit(
        of project: String, where condition: (TimedCommit) -> Bool
    ) throws -> TimedCommit? {
        guard let newest = try newestNumber(of: project) else { return nil }
        var low = Int64(0)
        var high = newest.rawValue + 1
        var found = TimedCommit?.none
        while low < high {
            let middle = low + (high - low) / 2
            let next = try first(
                "SELECT no, at, sync_seq FROM tidemark_numbers WHERE project_id = ?1 AND no >= ?2 ORDER BY no LIMIT 1",
                [.string(project), .int(middle)]
            ) { (CommitNumber($0.integer(0)), Instant(milliseconds: $0.integer(1)), SyncSeq($0.integer(2))) }
            if let next, condition(next) {
                low = next.0.rawValue + 1
                found = next
            } else {
                high = middle
            }
        }
        return found
    }

    package func forgetCommits(of project: String, before date: Instant) throws {
        try run(
            """
            DELETE FROM tidemark_numbers WHERE project_id = ?1 AND changes_sight = 0 AND at < ?2
              AND sync_seq < (SELECT horizon FROM tidemark_projects WHERE id = ?1)
            """, [.string(project), .int(date.milliseconds)])
    }

    package func thinCommits(before date: Instant, limit: Int) throws -> Int {
        let from = try lastThinned()?.rawValue
        let rows = try all(
            "SELECT no, at FROM tidemark_numbers WHERE no > ?1 ORDER BY no LIMIT ?2",
            [.int(from ?? 0), .int(Int64(limit))]
        ) { (number: $0.integer(0), at: $0.integer(1)) }
        let old = rows.prefix { $0.at < date.milliseconds }
        guard let last = old.last?.number else { return 0 }
        // A commit to many projects may have been cut. All of its rows are looked at, with the next call or this one.
        let end = old.count == limit ? old.last { $0.number < last }?.number ?? last : last
        try run(
            """
            DELETE FROM tidemark_numbers WHERE no > ?1 AND no <= ?2 AND at < ?3 AND changes_sight = 0
              AND at / 3600000 = (
                SELECT later.at / 3600000 FROM tidemark_numbers later
                WHERE later.project_id = tidemark_numbers.project_id AND later.no > tidemark_numbers.no
                ORDER BY later.no LIMIT 1)
            """, [.int(from ?? 0), .int(end), .int(date.milliseconds)])
        try run(
            """
            INSERT INTO tidemark_settings (name, value) VALUES ('numbers_thinned', ?1)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.string(String(end))])
        return old.count
    }

    package func lastThinned() throws -> CommitNumber? {
        try first("SELECT CAST(value AS BIGINT) FROM tidemark_settings WHERE name = 'numbers_thinned'") {
            CommitNumber($0.integer(0))
        }
    }

    // MARK: Stints

    package func members(of project: String, endingFrom seq: SyncSeq) throws -> [ProjectMember] {
        try all(
            """
            SELECT a.user_id, a.role, s.from_seq, s.until_seq
            FROM tidemark_access a JOIN tidemark_stints s ON s.user_id = a.user_id AND s.project_id = a.project_id
            WHERE a.project_id = ?1 AND s.until_seq >= ?2
            """, [.string(project), .int(seq.rawValue)]
        ) { row in
            ProjectMember(
                user: row.integer(0), role: row.optionalInteger(1).flatMap { Role(rawValue: Int($0)) },
                stint: Stint(project: project, from: SyncSeq(row.integer(2)), until: SyncSeq(row.integer(3))))
        }
    }

    package func stints(of user: Int64) throws -> [Stint] { try stints("user_id = ?1", [.int(user)]) }

    package func stints(of user: Int64, in project: String) throws -> [Stint] {
        try stints("user_id = ?1 AND project_id = ?2", [.int(user), .string(project)])
    }

    private func stints(_ condition: String, _ values: [JSON]) throws -> [Stint] {
        try all(
            """
            SELECT project_id, from_seq, until_seq FROM tidemark_stints WHERE \(condition)
            ORDER BY project_id, from_seq
            """, values
        ) { Stint(project: $0.string(0), from: SyncSeq($0.integer(1)), until: SyncSeq($0.integer(2))) }
    }

    package func beginStint(of user: Int64, in project: String, at seq: SyncSeq) throws {
        try run(
            "INSERT INTO tidemark_stints (user_id, project_id, from_seq, until_seq) VALUES (?1, ?2, ?3, ?4)",
            [.int(user), .string(project), .int(seq.rawValue), .int(SyncSeq.maximum.rawValue)])
    }

    package func endStint(of user: Int64, in project: String, at seq: SyncSeq) throws {
        try run(
            """
            UPDATE tidemark_stints SET until_seq = ?3 WHERE user_id = ?1 AND project_id = ?2 AND until_seq = ?4
            """, [.int(user), .string(project), .int(seq.rawValue), .int(SyncSeq.maximum.rawValue)])
    }
}
