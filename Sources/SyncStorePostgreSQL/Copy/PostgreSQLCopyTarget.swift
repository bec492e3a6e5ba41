import SyncProtocol
package import SyncSchema
import SyncStore
package import SyncStoreSQL

/// A database on a server that a copy makes. It has none of Tidemark's tables before.
package struct PostgreSQLCopyTarget: CopyTarget {
    private let address: ServerAddress
    private let tables: CollectionTables
    package var name: String { address.description }

    package init(_ address: ServerAddress, _ registry: Registry) throws {
        try TableNames.check(registry, PostgreSQLDialect())
        try TableLimits.check(registry, PostgreSQLDialect())
        self.address = address
        tables = CollectionTables(registry, PostgreSQLDialect())
    }

    package func unfinished() throws -> DatabaseMove? {
        let connection = try Connection.forLongWork(address)
        try connection.requireUsable(address)
        return try CopyFailure.translated(name) {
            let session = Session(connection, kind: .reading)
            defer { session.finishReading() }
            let reader = PostgreSQLCopyReader(name: name, session: session, registry: tables.registry)
            if try DatabaseLayout.isPresent(session) {
                guard let move = DatabaseMove(try reader.setting(DatabaseMove.unfinishedMark)) else { throw notEmpty }
                return move
            }
            try TakenNames.refuse(tables.registry.collections.map { tables[$0].layout }, own: nil, session)
            return nil
        }
    }

    package func filling(_ body: (any CopyWriter) throws -> Void) throws {
        let connection = try Connection.forLongWork(address)
        try CopyFailure.translated(name) {
            let here = try Incarnation(connection)
            try Session(connection, kind: .writing).commit { session in
                try session.send(AdvisoryLock.opening.statement)
                try session.fly()
                try body(PostgreSQLCopyWriter(name, session: session, tables: tables, here: here))
            }
            if connection.takeReplicationWarning() { throw DatabaseError.notReplicated }
        }
    }

    package func finish() throws {
        let connection = try Connection.forLongWork(address)
        try CopyFailure.translated(name) {
            _ = try connection.ask(
                "DELETE FROM tidemark_settings WHERE name = ?1", [.string(DatabaseMove.unfinishedMark)])
        }
    }

    private var notEmpty: StoreError {
        StoreError(
            "The database \(name) is not empty. It was not changed.",
            hint: "Make a new one with: createdb --encoding=UTF8 --template=template0 NAME")
    }
}

/// Fills an empty database, in the transaction of its session.
struct PostgreSQLCopyWriter: CopyWriter {
    private let session: Session
    let reader: PostgreSQLCopyReader
    private let tables: CollectionTables
    private let here: Incarnation

    /// `name` is the database's, as errors show it.
    init(_ name: String, session: Session, tables: CollectionTables, here: Incarnation) {
        self.session = session
        self.tables = tables
        self.here = here
        reader = PostgreSQLCopyReader(name: name, session: session, registry: tables.registry)
    }

    func makeTables(_ tables: [CopyTable]) throws {
        for statement in PostgreSQLDialect.systemTables.creation.tables + AccountChanges.statements
            + OwnTables.statements
        {
            try session.execute(statement)
        }
        for table in tables {
            switch table.kind {
            case .system: break
            case .collection:
                let layout = self.tables[registry.collection(table.name)].layout
                let kept = table.keptColumns(beside: layout)
                try session.execute(layout.createTable(kept: kept, isReferring: false))
            case .removed: try session.execute(table.createRemoved(dialect))
            }
        }
        try session.fly()
    }

    /// The tables were made in this transaction, so rows can be frozen at once and no vacuum has to visit them:
    /// https://www.postgresql.org/docs/15/sql-copy.html
    func fill(_ table: CopyTable, _ rows: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Void) throws {
        let types = try columns(of: table.name).reduce(into: [:]) { $0[$1.name] = $1.type }
        var binary = BinaryRows(table.columns.map { types[$0.name] ?? $0.type })
        let sql = "COPY \"\(table.name)\" (\(table.list)) FROM STDIN (FORMAT binary, FREEZE)"
        try CopyFailure.translated(reader.name) {
            try session.connection.copyIn(sql) { input in
                try rows { row in
                    binary.add(row)
                    // Here, because the source must not take an error of the target for its own.
                    if binary.isFull { try CopyFailure.translated(reader.name) { try binary.flush(to: input) } }
                }
                binary.end()
                try binary.flush(to: input)
            }
        }
    }

    /// A project without changes does not exist, as far as marks tell. See `Marker`.
    func complete(_ tables: [CopyTable]) throws {
        for statement in PostgreSQLDialect.systemTables.creation.indexes { try session.execute(statement) }
        let layouts = registry.collections.map { self.tables[$0].layout }
        for layout in layouts { try makeIndexes(layout) }
        for layout in layouts {
            for (column, reference) in layout.addReferences where column != SystemColumn.project.name {
                try session.execute(reference)
            }
        }
        try session.execute("UPDATE tidemark_projects SET changes = 1")
        try session.execute("SET CONSTRAINTS ALL IMMEDIATE")
        try DatabaseLayout.record(PostgreSQLTransaction(session, tables: self.tables, scope: .installation))
        try Home.move(to: here, session)
        try session.fly()
    }

    private func makeIndexes(_ layout: TableLayout) throws {
        let schema = PostgreSQLTables(PostgreSQLTransaction(session, tables: tables, scope: .installation))
        let indexes = try layout.indexesToMake { try session.ask($0, isKept: false).count > 0 }
        for (name, statement) in indexes { try schema.makeIndex(name, statement) }
    }

    func setLastKey(_ key: Int64, of table: String) throws {
        _ = try session.ask(
            "SELECT setval(pg_get_serial_sequence(?1, 'id'), GREATEST(CAST(?2 AS BIGINT), 1), CAST(?2 AS BIGINT) > 0)",
            [.string(table), .int(key)])
    }

    func set(_ setting: String, to value: String) throws {
        _ = try session.ask(DatabaseMove.record, [.string(setting), .string(value)])
    }

    func audit(_ entry: AuditEntry) throws {
        try PostgreSQLTransaction(session, tables: tables, scope: .installation).audit(entry)
    }

    func jump() throws -> RestoreJump {
        try PostgreSQLTransaction(session, tables: tables, scope: .installation).jump(to: here)
    }
}

extension DatabaseMove {
    static let record = """
        INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """
}

/// Rows for a `COPY … FROM STDIN` in the binary format, collected into messages.
struct BinaryRows {
    private static let messageSize = 128 << 10
    private static let head: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)

    private let types: [CopyTable.ColumnType]
    private var bytes = Self.head

    init(_ types: [CopyTable.ColumnType]) {
        self.types = types
        bytes.reserveCapacity(2 * Self.messageSize)
    }

    /// Whether there is enough for a message.
    var isFull: Bool { bytes.count >= Self.messageSize }

    /// Hands over what was collected, and begins again.
    mutating func flush(to input: CopyInput) throws {
        try bytes.withUnsafeBytes(input.send)
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func add(_ row: UnsafeBufferPointer<Cell>) {
        append(Int16(row.count))
        for (type, cell) in zip(types, row) { append(cell, type) }
    }

    /// Ends the rows.
    mutating func end() { append(Int16(-1)) }

    private mutating func append(_ cell: Cell, _ type: CopyTable.ColumnType) {
        switch cell {
        case .null: append(Int32(-1))
        case .integer(let number) where type == .boolean:
            append(Int32(2))
            append(Int16(truncatingIfNeeded: number))
        case .integer(let number) where type == .real: append(Double(number))
        case .integer(let number):
            append(Int32(8))
            append(number)
        case .double(let number): append(number)
        case .text(let text):
            append(Int32(text.count))
            bytes.append(contentsOf: text)
        }
    }

    private mutating func append(_ number: Double) {
        append(Int32(8))
        append(Int64(bitPattern: number.bitPattern))
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
