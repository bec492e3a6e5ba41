import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncStoreSQL

/// A database on a server that is copied. Servers may run on it. Meanwhile they answer writes with 503, and end once
/// the database is marked as moved.
package struct PostgreSQLCopySource: CopySource {
    private let address: ServerAddress
    private let tables: CollectionTables
    private let mender: any RowMender
    package var name: String { address.description }

    package init(_ address: ServerAddress, _ registry: Registry, mender: any RowMender) {
        self.address = address
        self.mender = mender
        tables = CollectionTables(registry, PostgreSQLDialect())
    }

    private func requireTables(_ connection: Connection) throws {
        let session = Session(connection, kind: .reading)
        defer { session.finishReading() }
        guard try DatabaseLayout.isPresent(session) else { throw CopyFailure.noDatabase(name) }
    }

    package func movedTo() throws -> DatabaseMove? {
        let connection = try Connection.forLongWork(address)
        return try CopyFailure.translated(name) {
            try requireTables(connection)
            let session = Session(connection, kind: .reading)
            defer { session.finishReading() }
            return DatabaseMove(try reader(session).setting(DatabaseMove.movedMark))
        }
    }

    package func reading(_ body: (any CopyReader) throws -> DatabaseMove?) throws {
        let connection = try Connection.forLongWork(address)
        try CopyFailure.translated(name) {
            try requireTables(connection)
            let first = FirstConnection(address: address, opener: .guest) { _ in }
            _ = try Opening(first, tables: tables, mender: mender, jumpFactor: RestoreJump.randomFactor).run()
            // Writers share the lock. It is the session's, because the transaction must not see what was there before
            // the lock was held. It ends with the connection.
            _ = try connection.ask("SELECT pg_advisory_lock(\(AdvisoryLock.opening.rawValue))")
            try Numbering.settle(connection)
            try read(Session(connection, kind: .copying), body)
        }
    }

    private func reader(_ session: Session) -> PostgreSQLCopyReader {
        PostgreSQLCopyReader(name: name, session: session, registry: tables.registry)
    }

    private func read(_ session: Session, _ body: (any CopyReader) throws -> DatabaseMove?) throws {
        try session.commit { session in
            let reader = reader(session)
            try DatabaseMove.requireServable(name) { try reader.setting($0) }
            if let move = try body(reader) { try mark(move, session) }
        }
    }

    /// With the new epoch, servers that are running end.
    private func mark(_ move: DatabaseMove, _ session: Session) throws {
        try session.send(DatabaseMove.record, [.string(DatabaseMove.movedMark), .string(move.text)])
        try session.send("UPDATE tidemark_home SET epoch = epoch + 1")
    }
}

/// Reads the tables of a database, in the transaction of its session.
struct PostgreSQLCopyReader: CopyReader {
    /// The database's, as errors show it.
    let name: String
    let session: Session
    let registry: Registry
    var dialect: any SQLDialect { PostgreSQLDialect() }

    func columns(of table: String) throws -> [CopyTable.Column] {
        let own = OwnTables.columns[table] ?? []
        let rows = try session.ask(Self.columnsOfTable, [.string("\"\(table)\"")]).rows
        return rows.map { CopyTable.Column($0.string(0), CopyTable.ColumnType(oid: $0.integer(1))) }
            .filter { !own.contains($0.name) }
    }

    func setting(_ name: String) throws -> String? {
        try session.ask("SELECT value FROM tidemark_settings WHERE name = ?1", [.string(name)]).first?.string(0)
    }

    func count(_ table: CopyTable) throws -> Int {
        Int(try session.ask("SELECT count(*) FROM \(rows(of: table))", isKept: false).first?.integer(0) ?? 0)
    }

    /// The table without the settings that only this engine has.
    private func rows(of table: CopyTable) -> String {
        let condition = table.name == "tidemark_settings" ? " WHERE name <> '\(DatabaseLayout.ownSetting)'" : ""
        return "\"\(table.name)\"\(condition)"
    }

    func each(_ table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws {
        try session.fly()
        let count = table.columns.count
        let types = try columns(of: table.name).reduce(into: [:]) { $0[$1.name] = $1.type }
        let ordered = table.columns.map { types[$0.name] ?? $0.type }
        try withUnsafeTemporaryAllocation(of: Cell.self, capacity: count) { cells in
            try CopyFailure.translated(name) {
                try session.connection.each("SELECT \(table.list) FROM \(rows(of: table))", columns: count) { row in
                    for (place, type) in ordered.enumerated() {
                        cells.initializeElement(at: place, to: row.cell(Int32(place), type))
                    }
                    try read(UnsafeBufferPointer(cells))
                }
            }
        }
    }

    func lastKey(of table: String) throws -> Int64 {
        try max(lastGivenKey(of: table), largestKey(of: table))
    }

    func largestKey(of table: String) throws -> Int64 {
        try session.ask("SELECT COALESCE(MAX(id), 0) FROM \(table)", isKept: false).first?.integer(0) ?? 0
    }

    /// A sequence tells the last key that it gave, or the first one that it will give.
    func lastGivenKey(of table: String) throws -> Int64 {
        let sequence = try session.ask("SELECT pg_get_serial_sequence(?1, 'id')", [.string(table)]).first?.string(0)
        guard let sequence else { return 0 }
        let sql = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM \(sequence)"
        return try session.ask(sql, isKept: false).first?.integer(0) ?? 0
    }

    private static let columnsOfTable = """
        SELECT CAST(attname AS TEXT), CAST(atttypid AS BIGINT) FROM pg_attribute
        WHERE attrelid = to_regclass(?1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
        """
}

extension CopyTable.ColumnType {
    /// A type of `pg_type`.
    fileprivate init(oid: Int64) {
        switch oid {
        case 20: self = .integer
        case 21: self = .boolean
        case 701: self = .real
        default: self = .text
        }
    }
}

extension CopiedRow {
    fileprivate func cell(_ column: Int32, _ type: CopyTable.ColumnType) -> Cell {
        guard !isNull(column) else { return .null }
        return switch type {
        case .text: .text(text(column))
        case .integer, .boolean: .integer(integer(column))
        case .real: .double(double(column))
        }
    }
}

/// Says what went wrong with a database that is copied, and what to do.
enum CopyFailure {
    static func translated<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as DatabaseError { throw explained(error, name) }
    }

    static func noDatabase(_ name: String) -> StoreError {
        StoreError("The database \(name) has no tables of Tidemark.", hint: "Check the address.")
    }

    private static func explained(_ error: DatabaseError, _ name: String) -> StoreError {
        let reason = error.message.trimmed
        if error.isConnectionLost {
            return StoreError("The connection to \(name) was lost.", hint: "Run the same command again.")
        }
        if error.isConflict {
            return StoreError(
                "The source is not sound: \(reason). Nothing was copied.", hint: "Run `tidemark check` on the source.")
        }
        if error.isOutOfResources {
            return StoreError("\(name) has no room: \(reason).", hint: "Make room, then try again.")
        }
        if error.saysDamage {
            return StoreError("\(name) is damaged: \(reason).", hint: "Run `tidemark check` on it.")
        }
        switch error.state {
        case "42501", "3F000":
            return StoreError(
                "The user may not make or read tables in \(name).",
                hint: "As the owner of the database, run: GRANT ALL ON SCHEMA public TO the user.")
        case "55P03":
            return StoreError(
                "Somebody is writing to \(name) without a pause, or opening it.",
                hint: "Try again, or stop the servers.")
        case "54000":
            return StoreError(
                "A text is too long for a unique key of PostgreSQL: \(reason). Nothing was copied.",
                hint: "Shorten it. A key may have about 600 characters.")
        default:
            return StoreError("\(name) refused the copy: \(reason).", hint: "Nothing was copied.")
        }
    }
}
