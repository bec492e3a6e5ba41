import Foundation
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
        _ connection: FirstConnection, tables: CollectionTables, mender: any RowMender,
        jumpFactor: @escaping () -> Int64, machine: WallClock = .system
    ) {
        self.connection = connection
        self.tables = tables
        self.mender = mender
        self.jumpFactor = jumpFactor
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
        let settling = HomeSettling(here, opener: opener, tables: tables, jumpFactor: jumpFactor)
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
                    try change($0, settling: settling, here: here)
                }
            } catch let error as DatabaseError where error.state == "40P01" && attempt < Self.mostTries {
                // A reader of another server waited for one table while it read another.
                continue
            }
        }
        fatalError("A loop without an end ended.")
    }

    /// Makes or changes the tables, and settles what became of the history.
    private func change(_ session: Session, settling: HomeSettling, here: Incarnation) throws -> Preparation {
        let migration = DatabaseMigration(session, tables: tables, mender: mender)
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
        let transaction = PostgreSQLTransaction(session, tables: tables, scope: .installation)
        let hasLayout = try DatabaseLayout.isCurrent(transaction, address)
        if !opener.acceptsMoved {
            try DatabaseMove.requireServable(address.description) { try transaction.setting($0) }
        }
        let hasSchemas = try DatabaseMigration(session, tables: tables, mender: mender).isCurrent()
        guard hasSchemas || opener.isServer else { throw StoreError.otherSchemas }
        guard hasLayout || opener.isServer else { throw StoreError.olderVersion }
        return State(hasLayout: hasLayout, hasSchemas: hasSchemas)
    }

    private func transaction<Value>(
        on connection: Connection, _ lock: String, _ body: (Session) throws -> Value
    ) throws -> Value {
        try Session(connection, kind: .writing).commit { session in
            try session.send(lock)
            return try body(session)
        }
    }
}

/// Connects when the store is opened. A server waits for a database that is down or has no primary now, since a
/// failover may be under way and its supervisor would give up. A command does not wait.
struct FirstConnection {
    /// For how long a server waits.
    private static let patience: Duration = .seconds(60)
    private static let pause: Duration = .milliseconds(500)

    let address: ServerAddress
    let opener: DatabaseOpener
    /// Told at once why the server waits.
    let report: @Sendable (String) -> Void
    var now: () -> ContinuousClock.Instant = { .now }
    /// Nobody else uses the thread that opens a store.
    var sleep: (Duration) -> Void = { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }

    func open() throws(StoreError) -> Connection {
        let deadline = now() + Self.patience
        var hasReported = false
        while true {
            let (reason, mayPass): (StoreError, Bool)
            do {
                let connection = try Connection(address, settings: SessionSettings.opening)
                guard connection.isReadOnly else { return connection }
                reason = readOnly
                mayPass = true
            } catch let error as DatabaseError {
                (reason, mayPass) = diagnosis(error)
            } catch {
                throw StoreError("Can't connect to the database \(address).", hint: "Check its address.")
            }
            guard mayPass, opener.isServer, now() < deadline else { throw reason }
            if !hasReported {
                report("\(reason.reason) Trying again for \(Self.patience.components.seconds) s.")
                hasReported = true
            }
            sleep(Self.pause)
        }
    }

    /// Why there is no connection, and whether that may pass.
    private func diagnosis(_ error: DatabaseError) -> (StoreError, Bool) {
        switch address.reach() {
        case .readOnly: (readOnly, true)
        case .down: (unreachable(error), true)
        case .refused: (unreachable(error), error.isConnectionLost && error.state != nil)
        }
    }

    private func unreachable(_ error: DatabaseError) -> StoreError {
        StoreError(
            "Can't connect to the database \(address): \(error.message.trimmed).",
            hint: "Check the address (--database or TIDEMARK_DATABASE), and that the server runs.")
    }

    private var readOnly: StoreError {
        StoreError(
            "No server at \(address) takes writes: it is a standby, or set to be read-only.",
            hint: "Name the primary in the address, too, such as postgres://user@host1,host2/name.")
    }
}

/// A connection pooler between Tidemark and PostgreSQL, such as PgBouncer. One that gives each transaction whatever
/// connection is free loses settings, prepared statements and locks.
enum Pooler {
    /// How often two connections are compared, because others may use the pooler too.
    private static let rounds = 5

    /// Throws a `StoreError` if the connection is shared between transactions. Asks nothing more if it leads to
    /// PostgreSQL itself.
    static func refuse(on connection: Connection, at address: ServerAddress) throws {
        let own = try process(of: connection)
        guard own != connection.process else { return }
        let other = try Connection(address, settings: SessionSettings.opening)
        for _ in 0..<rounds {
            let theirs = try process(of: other)
            if try isShared(own: own, later: process(of: connection), others: theirs) { throw error(address) }
        }
    }

    /// Whether two connections that are open at the same time can't be sessions of their own, by the processes of the
    /// server that answer them.
    static func isShared(own: Int64, later: Int64, others: Int64) -> Bool { own != later || own == others }

    private static func process(of connection: Connection) throws -> Int64 {
        try connection.ask("SELECT pg_backend_pid()", isKept: false).first?.integer(0) ?? 0
    }

    private static func error(_ address: ServerAddress) -> StoreError {
        StoreError(
            "A connection pooler at \(address) gives each transaction another connection.",
            hint: "Tidemark needs sessions of its own. Name PostgreSQL's own host and port in the address, or set the "
                + "pooler's mode to session (PgBouncer: pool_mode = session).")
    }
}

/// What Tidemark needs of a PostgreSQL server and of its database.
enum ServerRequirements {
    /// The oldest server that all of this works on: `CREATE OR REPLACE TRIGGER` came with it. A number such as 150018.
    private static let oldest = 140_000

    /// Throws a `StoreError` if the server or the database can't be used. `name` is how the server calls its version.
    static func require(server: Int, _ name: String, encoding: String?, _ address: ServerAddress) throws(StoreError) {
        guard server >= oldest else {
            throw StoreError("PostgreSQL \(name) is too old.", hint: "Use PostgreSQL \(oldest / 10_000) or later.")
        }
        guard encoding == "UTF8" else {
            throw StoreError(
                "The database \(address) has the encoding \(encoding ?? "unknown").",
                hint: "Make one with: createdb --encoding=UTF8 --template=template0 NAME")
        }
    }

    /// What an operator should know of the cluster. `dataChecksums` is its setting.
    static func warnings(dataChecksums: String?) -> [String] {
        guard dataChecksums == "off" else { return [] }
        return [
            "The database cluster has no data checksums, so nobody finds out what a disk has changed. Stop it, and run "
                + "`pg_checksums --enable`."
        ]
    }
}
