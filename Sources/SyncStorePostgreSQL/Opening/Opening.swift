import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Opens the database: refuses what can't be served, and makes or changes the tables. One server at a time does it.
struct Opening {
    /// What opening found and did.
    struct Outcome {
        let isNew: Bool
        let jump: RestoreJump?
        let mending: Mending
        let home: Home
        let incarnation: Incarnation
        let engine: String
        let warnings: [String]
    }

    /// What was done under the lock.
    private struct Preparation {
        var isNew = false
        var jump: RestoreJump?
        var mending = Mending()
        let home: Home
    }

    /// How often the tables are changed if readers of other servers are in the way.
    private static let mostTries = 5

    private let connection: FirstConnection
    private let tables: CollectionTables
    private let mender: any RowMender
    private let jumpFactor: () -> Int64
    private let machine: WallClock
    private var address: ServerAddress { connection.address }
    private var opener: DatabaseOpener { connection.opener }

    init(
        _ connection: FirstConnection, _ tables: CollectionTables, _ mender: any RowMender,
        _ jumpFactor: @escaping () -> Int64, _ machine: WallClock = .system
    ) {
        (self.connection, self.tables, self.mender, self.jumpFactor) = (connection, tables, mender, jumpFactor)
        self.machine = machine
    }

    func run() throws -> Outcome {
        let connection = try connection.open()
        // Changes of tables take as long as they need.
        connection.patience = .seconds(24 * 3600)
        let version = connection.parameter("server_version")?.split(separator: " ").first.map(String.init) ?? ""
        try ServerRequirements.require(
            server: connection.serverVersion, version, encoding: connection.parameter("server_encoding"), address)
        do {
            try Pooler.refuse(on: connection, at: address)
            if opener.isServer, let sentence = try ClockGap(machine, connection).sentence {
                throw StoreError(sentence, hint: "\(ClockGap.remedy). Then start the server again.")
            }
            let here = try Incarnation(connection)
            let prepared = try prepare(connection, here)
            // After a crash a primary shows commits that no standby has. This waits for the standby.
            _ = try Receipt().isWritten(connection)
            let checksums = try connection.ask("SHOW data_checksums").first?.string(0)
            return Outcome(
                isNew: prepared.isNew, jump: prepared.jump, mending: prepared.mending, home: prepared.home,
                incarnation: here, engine: "PostgreSQL \(version)",
                warnings: ServerRequirements.warnings(dataChecksums: checksums))
        } catch let error as DatabaseError {
            throw StoreError(opening: address, as: connection.user, error)
        }
    }

    private func prepare(_ connection: Connection, _ here: Incarnation) throws -> Preparation {
        let settling = HomeSettling(here, opener, tables, jumpFactor)
        // In most cases nothing is to be done, and writers need not wait.
        let found = try transaction(on: connection, AdvisoryLock.opening.sharedStatement) { session in
            guard try DatabaseLayout.isPresent(session) else { return (home: nil as Home?, isCurrent: false) }
            let state = try state(session)
            return (try Home.read(session), state.isCurrent)
        }
        if found.isCurrent, let home = found.home, try settling.isSettled(home) { return Preparation(home: home) }
        try settling.waitForServers(found.home, connection)
        for attempt in 1... {
            do {
                return try transaction(on: connection, AdvisoryLock.opening.statement) {
                    try change($0, settling, here)
                }
            } catch let error as DatabaseError where error.state == "40P01" && attempt < Self.mostTries {
                // A reader of another server waited for one table while it read another.
                continue
            }
        }
        fatalError("A loop without an end ended.")
    }

    /// Makes or changes the tables, and settles what became of the history.
    private func change(_ session: Session, _ settling: HomeSettling, _ here: Incarnation) throws -> Preparation {
        let migration = DatabaseMigration(session, tables, mender)
        let isNew = try !DatabaseLayout.isPresent(session)
        var mending = Mending()
        if isNew {
            try migration.make()
            try Home.move(to: here, session)
        } else {
            let state = try state(session)
            if !state.hasLayout { try migration.upgrade() }
            if !state.hasSchemas { mending = try migration.run() }
        }
        let jump = isNew ? nil : try settling.settle(session)
        guard let home = try Home.read(session) else { throw DatabaseError(state: nil, message: "no home") }
        return Preparation(isNew: isNew, jump: jump, mending: mending, home: home)
    }

    /// Whether the tables are of this version, and were made with these schema files.
    private struct State {
        let hasLayout: Bool
        let hasSchemas: Bool

        var isCurrent: Bool { hasLayout && hasSchemas }
    }

    /// Throws a `StoreError` if a version made the tables that this one can't follow, and for a command that would have
    /// to change them.
    private func state(_ session: Session) throws -> State {
        let transaction = PostgreSQLTransaction(session, tables, .installation)
        let hasLayout = try DatabaseLayout.isCurrent(transaction, address)
        if !opener.acceptsMoved {
            try DatabaseMove.requireServable(address.description) { try transaction.setting($0) }
        }
        let hasSchemas = try DatabaseMigration(session, tables, mender).isCurrent()
        guard hasSchemas || opener.isServer else { throw StoreError.otherSchemas }
        guard hasLayout || opener.isServer else { throw StoreError.olderVersion }
        return State(hasLayout: hasLayout, hasSchemas: hasSchemas)
    }

    private func transaction<Value>(
        on connection: Connection, _ lock: String, _ body: (Session) throws -> Value
    ) throws -> Value {
        try Session(connection, .writing).commit { session in
            try session.send(lock)
            return try body(session)
        }
    }
}
