import SyncProtocol
import SyncStore
import SyncStoreSQL
import Synchronization

/// Asks the primary for marks: one question for all who wait on this server. A request joins the next question, never
/// one that is under way, because that one was sent before the request came.
///
/// Nothing cheaper is exact. A server that has not heard of a commit has a head below the watermark of a client that
/// wrote or pulled elsewhere, and would tell it to start again.
final class Marker: Sendable {
    private typealias Answer = CheckedContinuation<CommitMark, any Error>

    private struct State {
        var waiting: [(scope: MarkScope, answer: Answer)] = []
        var isAsking = false
        var times = Histogram(bounds: SharedDatabaseMetrics.times)
    }

    private let pool: ConnectionPool
    private let history: HistoryGuard
    private let state = Mutex(State())

    init(_ pool: ConnectionPool, _ history: HistoryGuard) { (self.pool, self.history) = (pool, history) }

    func mark(of scope: MarkScope) async throws -> CommitMark {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append((scope, continuation))
                defer { state.isAsking = true }
                return !state.isAsking
            }
            if begins { Task { await work() } }
        }
    }

    /// How long each question took, in seconds.
    var times: Histogram { state.withLock { $0.times } }

    private func work() async {
        while let all = next() {
            do {
                let marks = try await ask(MarkQuestion(all.map(\.scope)))
                for (scope, answer) in all { answer.resume(returning: marks[scope] ?? CommitMark(0)) }
            } catch {
                for (_, answer) in all { answer.resume(throwing: error) }
            }
        }
    }

    /// A later answer is as good, so a lost connection is replaced and the question asked again.
    private func ask(_ question: MarkQuestion) async throws -> [MarkScope: CommitMark] {
        try await DatabaseError.retryingPassing {
            let (marks, time) = try await pool.use { [history] connection in
                let begin = ContinuousClock.now
                let answers = try question.ask(connection)
                let time = ContinuousClock.now - begin
                try history.require(epoch: answers.epoch)
                try history.requireCurrent(connection)
                if let accounts = answers.marks[.accounts] { history.given.note(accounts: accounts) }
                return (answers.marks, time)
            }
            state.withLock { $0.times.add(time / .seconds(1)) }
            return marks
        }
    }

    private func next() -> [(scope: MarkScope, answer: Answer)]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isAsking = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}

/// One question for the marks of several scopes.
private struct MarkQuestion {
    private let scopes: Set<MarkScope>

    init(_ scopes: [MarkScope]) { self.scopes = Set(scopes) }

    final class Answers {
        fileprivate(set) var marks: [MarkScope: CommitMark] = [:]
        fileprivate(set) var epoch: Int64 = 0
    }

    func ask(_ connection: Connection) throws -> Answers {
        let answers = Answers()
        var (projects, users): ([String], [Int64]) = ([], [])
        for scope in scopes {
            switch scope {
            case .project(let id): projects.append(id)
            case .user(let id): users.append(id)
            case .numbers: try Numbering.settle(connection)
            case .accounts: break
            }
        }
        try connection.send(Home.epochQuestion) { result in
            answers.epoch = (try? result.get())?.first?.integer(0) ?? 0
        }
        if !projects.isEmpty {
            try connection.send(Self.projects, [Parameters.list(projects)]) { result in
                for row in (try? result.get())?.rows.map(\.self) ?? [] {
                    answers.marks[.project(row.string(0))] = CommitMark(row.integer(1))
                }
            }
        }
        if !users.isEmpty {
            try connection.send(Self.users, [Parameters.list(users)]) { result in
                for row in (try? result.get())?.rows.map(\.self) ?? [] {
                    answers.marks[.user(row.integer(0))] = CommitMark(row.integer(1))
                }
            }
        }
        if scopes.contains(.accounts) {
            try connection.send(AccountChanges.question) { result in
                answers.marks[.accounts] = (try? result.get())?.first.map { CommitMark($0.integer(0)) }
            }
        }
        if scopes.contains(.numbers) {
            try connection.send(SQLStatements.newestNumber) { result in
                answers.marks[.numbers] = (try? result.get())?.first.map { CommitMark($0.integer(0)) }
            }
        }
        try connection.fly()
        return answers
    }

    /// `changes` goes up with every transaction that changes anything of the project. See `PendingWrites`.
    private static let projects = "SELECT id, changes FROM tidemark_projects WHERE id = ANY(?1)"
    /// Rows of former members stay, so the sum never falls.
    private static let users = """
        SELECT a.user_id, CAST(SUM(p.changes) AS BIGINT)
        FROM tidemark_access a JOIN tidemark_projects p ON p.id = a.project_id
        WHERE a.user_id = ANY(?1) GROUP BY a.user_id
        """
}

/// Counts changes that may take something from an account. Triggers do it, so no statement can bypass it:
/// https://www.postgresql.org/docs/15/plpgsql-trigger.html
enum AccountChanges {
    static let question = "SELECT count FROM tidemark_account_changes"

    static let statements =
        [
            """
            CREATE TABLE IF NOT EXISTS tidemark_account_changes (
              id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
              count BIGINT NOT NULL
            )
            """,
            "INSERT INTO tidemark_account_changes (id, count) VALUES (1, 0) ON CONFLICT DO NOTHING",
            """
            CREATE OR REPLACE FUNCTION tidemark_count_account_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE tidemark_account_changes SET count = count + 1;
              RETURN NULL;
            END
            $$
            """,
        ] + triggers

    /// Additions don't count, because nil was never cached. A session's new
    /// expiry doesn't count either, because an access token carries its own.
    private static let triggers = [
        ("users", "UPDATE OR DELETE"), ("tokens", "UPDATE OR DELETE"),
        ("sessions", "UPDATE OF id, user_id OR DELETE"),
    ].map { table, events in
        """
        CREATE OR REPLACE TRIGGER tidemark_\(table)_changes AFTER \(events) ON tidemark_\(table)
        FOR EACH ROW EXECUTE FUNCTION tidemark_count_account_change()
        """
    }
}
