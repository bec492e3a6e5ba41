package import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncStoreSQL
import Synchronization

/// The store on a PostgreSQL database, which several servers can share.
///
/// Reads see one snapshot. Writes lock the projects that they work on, so the writes of one project run one after the
/// other on all servers. A write returns once its commit is durable, with a synchronous standby also there.
package final class PostgreSQLStore: SyncStore {
    /// How many connections a server holds.
    private enum Places {
        static let readers = 8
        /// So many readers more, because long streams keep theirs. The engine lets as many of them run, or one more.
        static let streams = 2
        static let writers = 4
        static let marks = 1
        static let throttle = 2
    }

    let tables: CollectionTables
    /// Streams begin here too, and keep their connection if they turn out to be long.
    let readers: ConnectionPool
    private let longStreams = Mutex(Set<ObjectIdentifier>())
    private let marks: ConnectionPool
    let writers: ConnectionPool
    private let buckets: SharedThrottle
    private let history: HistoryGuard
    /// Nil in a command: only servers stop answering.
    private let heartbeat: Heartbeat?
    private let writes: WriteQueues
    private let marker: Marker
    private let numberer: Numberer
    let failures = StoreFailure()
    /// The name and version of the server.
    private let engine: String
    private let warnings: [String]
    /// Whether opening has made the tables.
    package let isNew: Bool
    /// What opening did to a database whose history may have lost something; nil if nothing.
    package let jumpAtOpening: RestoreJump?
    /// How opening changed rows that don't follow a changed schema.
    package let mendingAtOpening: Mending
    /// Leads to the history that the store serves, with settings of a session.
    let line: @Sendable (String) -> DatabaseLine

    package var registry: Registry { tables.registry }

    /// Opens the database, makes its tables if they are missing, and brings them in line with the schema. Blocks.
    ///
    /// `mender` makes rows follow a changed schema. `report` is told why a server waits for a database that can't be
    /// reached. Throws `StoreError` and `SchemaError`, which both say what to do. A database that is refused is not
    /// changed. `jumpFactor` is called if numbers have to jump. `longestQuestion` is how long the store asks what
    /// became of a commit whose answer was lost, before it throws `outcome_unknown`. `machine` is this machine's clock;
    /// a server's must agree with the database's.
    package init(
        address: ServerAddress, registry: Registry, opener: DatabaseOpener = .server(.ask), mender: any RowMender,
        jumpFactor: @escaping @Sendable () -> Int64 = RestoreJump.randomFactor,
        longestQuestion: Duration = .seconds(30), machine: WallClock = .system,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try TableNames.check(registry, PostgreSQLDialect())
        try TableLimits.check(registry, PostgreSQLDialect())
        tables = CollectionTables(registry, PostgreSQLDialect())
        let first = FirstConnection(address: address, opener: opener, report: report)
        let opening = try Opening(first, tables: tables, mender: mender, jumpFactor: jumpFactor, machine: machine).run()
        isNew = opening.isNew
        engine = opening.engine
        warnings = opening.warnings
        jumpAtOpening = opening.jump
        mendingAtOpening = opening.mending
        let history = HistoryGuard(
            opening.home, here: opening.incarnation, rule: opener.rule, tables: tables, clock: DatabaseClock(machine))
        let line: @Sendable (String) -> DatabaseLine = { settings in
            DatabaseLine(address: address, settings: settings, history: history)
        }
        let heartbeat = opener.isServer ? Heartbeat(line(SessionSettings.writers)) : nil
        func pool(_ name: String, places: Int, settings: String) -> ConnectionPool {
            ConnectionPool(name, places: places, line: line(settings), heartbeat: heartbeat)
        }
        self.line = line
        readers = pool("reader", places: Places.readers + Places.streams, settings: SessionSettings.readers)
        marks = pool("marks", places: Places.marks, settings: SessionSettings.readers)
        writers = pool("writer", places: Places.writers, settings: SessionSettings.writers)
        buckets = SharedThrottle(
            pool("throttle", places: Places.throttle, settings: SessionSettings.throttle), failures)
        self.history = history
        self.heartbeat = heartbeat
        writes = WriteQueues(writers, tables: tables, history: history, longestQuestion: longestQuestion)
        marker = Marker(marks, history)
        numberer = Numberer(marks)
        writes.onCommit { [numberer] in numberer.wake() }
        heartbeat?.start()
    }

    /// Calls `body` when the store can't be used any more, with the reason: the process must start again.
    package func onEnd(_ body: @escaping @Sendable (StoreError) -> Void) { history.onEnd(body) }

    /// Calls `body` with a sentence for the operator when this machine's clock and the database's part, and when they
    /// agree again.
    package func onClockGap(_ body: @escaping @Sendable (String) -> Void) { heartbeat?.onClockGap(body) }

    /// This machine's clock, corrected by its distance from the database's.
    package var clock: WallClock { history.clock.wallClock }

    /// How far this machine's clock is from the database's.
    var clockGap: ClockGap { history.clock.gap }

    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await failures.translated {
            try await DatabaseError.retryingPassing { try await read(scope, on: readers, body) }
        }
    }

    package func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await read(scope, body)
    }

    /// A short stream never waits for its client, so it uses a connection as a page does. A long one keeps it. The
    /// caller limits the number of long ones, so they never have all.
    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws {
        try await failures.translated {
            do {
                try await DatabaseError.retryingPassing {
                    try await read(scope, on: readers) { transaction in
                        try transaction.session.fly()
                        do { try stream(transaction, body) } catch { throw StreamError(error: error) }
                    }
                }
            } catch let error as StreamError {
                throw error.error
            }
        }
    }

    private func stream(
        _ transaction: PostgreSQLTransaction,
        _ body: @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) throws {
        // Used by `body` on its own thread, which is the connection's.
        nonisolated(unsafe) let session = transaction.session
        let id = ObjectIdentifier(session)
        defer { _ = longStreams.withLock { $0.remove(id) } }
        try body(transaction) { _ in
            for setting in SessionSettings.lasting { try session.send(setting) }
            try session.fly()
            _ = self.longStreams.withLock { $0.insert(id) }
        }
    }

    package func mark(of scope: MarkScope) async throws -> CommitMark {
        try await failures.translated {
            try heartbeat?.requireFresh()
            return try await marker.mark(of: scope)
        }
    }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await failures.translated {
            if priority == .ordinary, troubles.contains(.diskFull) { return try await unwritten(scope, body) }
            do {
                let key = try await queue(of: scope)
                return try await writes.write(scope, in: key, needs: needs) { try body($0) }
            } catch let error as DatabaseError where error.saysNoRoom && priority == .ordinary {
                failures.troubles.note(.diskFull)
                return try await unwritten(scope, body)
            }
        }
    }

    /// What an ordinary write returns while the disk is full: `body` runs where nothing can be written. Throws
    /// `disk_full` if it tries to.
    private func unwritten<Value: Sendable>(
        _ scope: StoreScope, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await DatabaseError.retryingPassing {
            try await read(scope, on: readers) { transaction in
                do {
                    let value = try body(transaction)
                    try transaction.session.fly()
                    guard !transaction.session.pending.isChanged else { throw Problem.diskFull }
                    return value
                } catch {
                    // A statement that waits for its flight may fail, too.
                    transaction.session.rollBack()
                    // A number can't be drawn of a project that is not locked.
                    let wrote = (error as? DatabaseError)?.isReadOnly ?? (error is StaleProject)
                    throw wrote ? Problem.diskFull : error
                }
            }
        }
    }

    package var troubles: StoreTroubles { failures.troubles.current }

    package func noteSound() { failures.troubles.clear(.damaged) }

    /// Tries to write if the last writes were refused.
    package func recover() async {
        guard !troubles.isDisjoint(with: [.diskFull, .readOnly]) else { return }
        let write: Void? = try? await write(.installation, priority: .vital) { transaction in
            guard let session = (transaction as? PostgreSQLTransaction)?.session else { return }
            for statement in Self.probe { try session.execute(statement) }
            try session.fly()
        }
        if write != nil { failures.troubles.clear([.diskFull, .readOnly]) }
    }

    /// Takes some room, and gives it back in the same transaction.
    private static let probe = [
        "DELETE FROM tidemark_settings WHERE name = 'room'",
        """
        INSERT INTO tidemark_settings (name, value)
        SELECT 'room', string_agg(md5(random()::text), '') FROM generate_series(1, 8192)
        """,
        "DELETE FROM tidemark_settings WHERE name = 'room'",
    ]

    package func onCommit(_ body: @escaping @Sendable () -> Void) { writes.onCommit(body) }

    package var throttle: (any Throttle)? { buckets }

    package var servers: Int { heartbeat?.servers ?? 1 }

    package var metrics: StoreMetrics {
        var metrics = StoreMetrics()
        metrics.engine = engine
        metrics.layout = Int(TableLayout.version) ?? 0
        metrics.warnings = warnings
        if let sentence = clockGap.sentence {
            metrics.warnings.append("\(sentence) \(ClockGap.remedy). Until then this server purges nothing.")
        }
        metrics.groups = writes.groups
        metrics.waitingWrites = writes.waiting
        metrics.shared = SharedDatabaseMetrics(
            questions: marker.times, heartbeatAge: heartbeat?.age ?? .zero, clockGap: clockGap.duration,
            servers: servers, pools: pools)
        return metrics
    }

    /// Long streams count as a pool of their own, since nobody else can use their connections.
    private var pools: [SharedDatabaseMetrics.Pool] {
        let all = readers.metrics
        let long = longStreams.withLock(\.count)
        let reading = SharedDatabaseMetrics.Pool(name: all.name, used: max(0, all.used - long), waiting: all.waiting)
        let streams = SharedDatabaseMetrics.Pool(name: "stream", used: long, waiting: 0)
        return [reading, writers.metrics, streams, marks.metrics, buckets.pool.metrics]
    }

    /// Closes all connections. Afterwards nothing may use the store.
    package func close() {
        heartbeat?.stop()
        for pool in [readers, marks, writers, buckets.pool] { pool.close() }
    }

    private func read<Value: Sendable>(
        _ scope: StoreScope, on pool: ConnectionPool, _ body: @Sendable (PostgreSQLTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.use { [tables, history] connection in
            let session =
                switch scope {
                case .user, .installation: try Numbering.snapshot(connection, history: history)
                case .project, .projects, .row, .accounts, .accountsAndProjects:
                    Session(connection, kind: .reading, history: history)
                }
            defer { session.finishReading() }
            return try body(PostgreSQLTransaction(session, tables: tables, scope: scope))
        }
    }

    /// The queue of a scope. Nil for scopes that are not queued: their locks alone order them.
    private func queue(of scope: StoreScope) async throws -> WriteQueues.Key? {
        switch scope {
        case .project(let id): return .project(id)
        case .accounts: return .accounts
        case .row(let key):
            let project = try await DatabaseError.retryingPassing {
                try await read(.row(key), on: readers) { try $0.record(key)?.project }
            }
            return project.map { .project($0) }
        case .projects, .user, .accountsAndProjects, .installation: return nil
        }
    }
}

/// An error after the first byte of a stream may have left, so the stream is not tried again.
private struct StreamError: Error {
    let error: any Error
}

extension PostgreSQLStore {
    /// For how long what servers have written about themselves is kept, and unfinished projects.
    private static let age: Duration = .seconds(24 * 3600)

    /// The lock belongs to a connection of its own, so it ends with this server, too. A server whose clock is off
    /// leaves the job to others: it would forget what clients may still ask for.
    package func exclusively(_ job: UpkeepJob, _ body: () async throws -> Void) async throws -> Bool {
        guard !clockGap.isTooWide else { return false }
        let pool = ConnectionPool("job", places: 1, line: line(SessionSettings.job))
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
                let session = Session(connection, kind: .reading)
                defer { session.finishReading() }
                return try PostgreSQLTransaction(session, tables: tables, scope: .installation).unfinishedProjects(
                    before: limit)
            }
        }
        for project in unfinished { try await write(.project(project)) { try $0.forgetUnfinished(project) } }
    }
}

extension PostgreSQLStore {
    /// Deletes the values and rows of fields and collections with `x-removed`, also from the history and the inboxes.
    /// One transaction, which also adds `entry` to the audit list. Servers go on serving; their writes wait.
    package func prune(
        noting entry: @escaping @Sendable (PruneReport) -> AuditEntry? = { _ in nil }
    ) async throws -> PruneReport {
        let pool = ConnectionPool("prune", places: 1, line: line(SessionSettings.opening))
        defer { pool.close() }
        return try await failures.translated { [tables] in
            try await pool.use { connection in
                connection.patience = .seconds(24 * 3600)
                return try Session(connection, kind: .writing).commit { session in
                    try session.send(AdvisoryLock.opening.statement)
                    let transaction = PostgreSQLTransaction(session, tables: tables, scope: .installation)
                    let report = try Prune(PostgreSQLTables(transaction)).run()
                    try entry(report).map(transaction.audit)
                    return report
                }
            }
        }
    }
}
