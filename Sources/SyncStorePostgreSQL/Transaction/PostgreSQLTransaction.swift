import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// A transaction of one member of a session. Never leaves the closure that it is passed to.
///
/// What a write does to a project's counters stays in memory until the group commits. See `PendingWrites`.
final class PostgreSQLTransaction: SQLTransaction {
    let session: Session
    let tables: CollectionTables
    let scope: StoreScope
    let drawn = DrawnNumber()
    var registry: Registry { tables.registry }
    var statements: SQLStatements { PostgreSQLDialect.statements }

    init(_ session: Session, _ tables: CollectionTables, _ scope: StoreScope) {
        self.session = session
        self.tables = tables
        self.scope = scope
    }

    func layout(_ collection: Collection) -> TableLayout { tables[collection].layout }

    var isWriting: Bool { session.kind == .writing }

    /// In a write, locks the project. Nobody else changes anything of a locked project.
    func touch(_ project: String) throws {
        assert(scope.covers(project), "\(scope) does not cover the project \(project).")
        guard isWriting, session.pending.projects[project] == nil else { return }
        try lock([project])
        try session.connection.fly()
    }

    /// Queues the locks of these projects, in the order of their ids.
    func lock(_ projects: [String]) throws {
        for project in projects.sorted() where session.pending.projects[project] == nil {
            try session.send(Self.lock, [.string(project)]) { [session] result in
                guard let rows = try? result.get() else { return }
                session.pending.projects[project] = .init(state: rows.first.map { ProjectState($0, of: project) })
            }
        }
    }

    private static let lock = ProjectState.question + " FOR NO KEY UPDATE"

    func databaseBytes() throws -> Int64 {
        try session.ask("SELECT pg_database_size(current_database())").first?.integer(0) ?? 0
    }

    /// What `clock` says, corrected by what the server's clock differs from the database's at this moment.
    func now(by clock: WallClock) throws -> Instant {
        guard let own = session.history?.clock.wallClock else { return clock.now() }
        let gap = try ClockGap(own) { try session.ask("SELECT \(ClockGap.databaseTime)").first?.integer(0) }
        return clock.now().advanced(by: .zero - gap.duration)
    }

    // MARK: Statements

    func each(_ sql: String, _ values: [JSON], isKept: Bool, _ read: (ResultRow) throws -> Bool) throws {
        let result = try session.ask(sql, values, isKept: isKept)
        try withExtendedLifetime(result) {
            for row in result.rows { guard try read(row) else { return } }
        }
    }

    func write(_ rows: [[JSON]], _ sql: String) throws {
        for row in rows { try session.send(sql, row) }
        session.pending.changed += rows.count
        if !rows.isEmpty { session.pending.isChanged = true }
    }

    func change(_ sql: String, _ values: [JSON]) throws -> Int {
        session.pending.isChanged = true
        return try session.ask(sql, values).changed
    }

    func settleCounters(of project: String) throws {
        try session.pending.sendCounters(of: project, session)
    }
}
