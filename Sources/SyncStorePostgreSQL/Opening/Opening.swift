import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Opens the database: refuses what can't be served, and makes the tables. One server at a time does it.
struct Opening {
    /// What opening found and did.
    struct Outcome {
        let isNew: Bool
        let jump: RestoreJump?
        let home: Home
        let incarnation: Incarnation
        let engine: String
        let warnings: [String]
    }

    /// What was done under the lock.
    private struct Preparation {
        var isNew = false
        var jump: RestoreJump?
        let home: Home
    }

    /// The oldest server that all of this works on: `CREATE OR REPLACE TRIGGER` came with it.
    private static let oldestServer = 140_000

    private let address: ServerAddress
    private let tables: CollectionTables
    private let opener: DatabaseOpener
    private let jumpFactor: () -> Int64

    init(
        _ address: ServerAddress, _ tables: CollectionTables, _ opener: DatabaseOpener,
        _ jumpFactor: @escaping () -> Int64
    ) {
        (self.address, self.tables, self.opener, self.jumpFactor) = (address, tables, opener, jumpFactor)
    }

    func run() throws -> Outcome {
        let connection = try connect()
        try requireUsable(connection)
        return try translated {
            let here = try Incarnation(connection)
            let prepared = try prepare(connection, here)
            // After a crash a primary shows commits that no standby has. This waits for the standby.
            _ = try Receipt().isWritten(connection)
            return Outcome(
                isNew: prepared.isNew, jump: prepared.jump, home: prepared.home, incarnation: here,
                engine: "PostgreSQL \(Self.version(connection))", warnings: try warnings(connection))
        }
    }

    private func connect() throws(StoreError) -> Connection {
        do {
            let connection = try Connection(address, settings: SessionSettings.opening)
            connection.patience = .seconds(3600)
            return connection
        } catch let error as DatabaseError {
            throw StoreError(
                "Can't connect to the database \(address): \(error.message.trimmed)",
                hint: "Check the address (--database or TIDEMARK_DATABASE), and that the server runs.")
        } catch {
            throw StoreError("Can't connect to the database \(address).", hint: "Check its address.")
        }
    }

    private func requireUsable(_ connection: Connection) throws(StoreError) {
        guard connection.serverVersion >= Self.oldestServer else {
            throw StoreError(
                "PostgreSQL \(Self.version(connection)) is too old.", hint: "Use PostgreSQL 14 or later.")
        }
        guard connection.parameter("server_encoding") == "UTF8" else {
            throw StoreError(
                "The database \(address) has the encoding \(connection.parameter("server_encoding") ?? "unknown").",
                hint: "Make one with: createdb --encoding=UTF8 --template=template0 NAME")
        }
    }

    private func warnings(_ connection: Connection) throws -> [String] {
        let setting = try translated { try connection.ask("SHOW data_checksums").first?.string(0) }
        guard setting == "off" else { return [] }
        return [
            "The database cluster has no data checksums, so nobody finds out what a disk has changed. Stop it, and run "
                + "`pg_checksums --enable`."
        ]
    }

    private static func version(_ connection: Connection) -> String {
        connection.parameter("server_version")?.split(separator: " ").first.map(String.init) ?? ""
    }

    // MARK: Tables

    private func prepare(_ connection: Connection, _ here: Incarnation) throws -> Preparation {
        let settling = HomeSettling(here, opener, tables, jumpFactor)
        // In most cases nothing is to be done, and writers need not wait.
        let found = try transaction(on: connection, AdvisoryLock.opening.sharedStatement) { session in
            guard try recorded("layout", session) != nil else { return nil as Home? }
            try compare(session)
            return try Home.read(session)
        }
        if let found, try settling.isSettled(found) { return Preparation(home: found) }
        try settling.waitForServers(found, connection)
        return try transaction(on: connection, AdvisoryLock.opening.statement) { session in
            let isNew = try recorded("layout", session) == nil
            if isNew {
                try makeTables(session)
                try Home.move(to: here, session)
            } else {
                try compare(session)
            }
            let jump = isNew ? nil : try settling.settle(session)
            guard let home = try Home.read(session) else { throw DatabaseError(state: nil, message: "no home") }
            return Preparation(isNew: isNew, jump: jump, home: home)
        }
    }

    private func transaction<Value>(
        on connection: Connection, _ lock: String, _ body: (Session) throws -> Value
    ) throws -> Value {
        let session = Session(connection, .writing)
        do {
            try session.send(lock)
            let value = try body(session)
            try session.send("COMMIT")
            try session.fly()
            return value
        } catch {
            session.rollBack()
            throw error
        }
    }

    private func makeTables(_ session: Session) throws {
        for statement in PostgreSQLDialect.systemTables.statements + AccountChanges.statements + OwnTables.statements {
            try session.connection.send(statement, isKept: false)
        }
        let layouts = tables.registry.collections.map { tables[$0].layout }
        for layout in layouts {
            try layout.collection.requireFreePath()
            try session.connection.send(layout.createTable(isReferring: false), isKept: false)
            for (_, index) in layout.indexes.sorted(by: { $0.key < $1.key }) {
                try session.connection.send(index, isKept: false)
            }
        }
        for layout in layouts {
            for statement in layout.addReferences { try session.connection.send(statement, isKept: false) }
        }
        try record("layout", TableLayout.version, session)
        try record("schemas", schemas, session)
    }

    private func compare(_ session: Session) throws {
        let layout = try recorded("layout", session)
        guard layout == TableLayout.version else {
            throw StoreError(
                "The database \(address) was made by another version of Tidemark (layout \(layout ?? "unknown")).",
                hint: "Use that version.")
        }
        guard try recorded("schemas", session) == schemas else {
            throw StoreError(
                "The database \(address) was made with other schema files.",
                hint: "Give the server these files with --schemas.")
        }
    }

    private var schemas: String { JSON.array(tables.registry.collections.map(\.document)).text }

    /// Nil in a database without Tidemark's tables.
    private func recorded(_ name: String, _ session: Session) throws -> String? {
        let table = try session.ask("SELECT CAST(to_regclass('tidemark_settings') AS TEXT)").first
        guard let table, !table.isNull(0) else { return nil }
        return try session.ask("SELECT value FROM tidemark_settings WHERE name = ?1", [.string(name)]).first?.string(0)
    }

    private func record(_ name: String, _ value: String, _ session: Session) throws {
        try session.send(
            """
            INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, [.string(name), .string(value)])
    }

    private func translated<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError where error.state == "42501" {
            throw StoreError(
                "The database's user may not make tables in \(address).",
                hint: "As its owner, run: GRANT CREATE ON SCHEMA public TO the user.")
        }
    }
}
