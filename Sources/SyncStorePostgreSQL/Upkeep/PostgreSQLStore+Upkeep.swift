package import SyncProtocol
package import SyncStore
import SyncStoreSQL

extension PostgreSQLStore {
    /// For how long what servers have written about themselves is kept, and unfinished projects.
    private static let age: Duration = .seconds(24 * 3600)

    /// The lock belongs to a connection of its own, so it ends with this server, too. A server whose clock is off
    /// leaves the job to others: it would forget what clients may still ask for.
    package func exclusively(_ job: UpkeepJob, _ body: () async throws -> Void) async throws -> Bool {
        guard !clockGap.isTooWide else { return false }
        let pool = ConnectionPool("job", places: 1, line(SessionSettings.job))
        defer { pool.close() }
        let isFree = try await failures.translated {
            try await pool.use { try $0.ask(AdvisoryLock(job).attempt).first?.integer(0) == 1 }
        }
        guard isFree else { return false }
        try await body()
        return true
    }

    /// Deletes old receipts, servers that are gone, full buckets, and projects whose creation ended a day ago without
    /// being finished.
    package func tidyUp(at now: Instant) async throws {
        try await failures.translated {
            try await writers.use { connection in
                try Receipt.purge(connection)
                try Heartbeat.purge(connection)
                try SharedThrottle.purge(connection, at: now)
            }
        }
        let limit = now.advanced(by: .zero - Self.age)
        let unfinished = try await failures.translated {
            try await readers.use { [tables] connection in
                let session = Session(connection, .reading)
                defer { session.finishReading() }
                return try PostgreSQLTransaction(session, tables, .installation).unfinishedProjects(before: limit)
            }
        }
        for project in unfinished { try await write(.project(project)) { try $0.forgetUnfinished(project) } }
    }
}
