import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// One transaction on the connection that it was begun on. Never leaves the closure that it is passed to.
struct SQLiteTransaction: SQLTransaction {
    let db: Database
    private let tables: CollectionTables
    private let partStatements: PartStatements?
    private let scope: StoreScope
    let drawn = DrawnNumber()
    var registry: Registry { tables.registry }
    var statements: SQLStatements { SQLiteDialect.statements }

    /// Without `partStatements` none of them is kept.
    init(
        _ db: Database, tables: CollectionTables, partStatements: PartStatements? = nil,
        scope: StoreScope = .installation
    ) {
        self.db = db
        self.tables = tables
        self.partStatements = partStatements
        self.scope = scope
    }

    init(_ db: Database, store: SQLiteStore, scope: StoreScope) {
        self.init(db, tables: store.tables, partStatements: store.partStatements, scope: scope)
    }

    /// SQLite needs no scopes, but other stores lock by them. A debug build stops if a transaction leaves its scope. So
    /// every test of a service on this store also tests its scopes.
    func touch(_ project: String) {
        assert(scope.covers(project), "\(scope) does not cover the project \(project).")
    }

    func layout(_ collection: Collection) -> TableLayout { tables[collection].layout }

    func encoder(_ collection: Collection, _ encoding: WireEncoding) -> RowEncoder {
        tables[collection].encoder(encoding)
    }

    func databaseBytes() throws -> Int64 {
        let pages = try number(of: "page_count")
        let size = try number(of: "page_size")
        return pages * size
    }

    private func number(of pragma: String) throws -> Int64 {
        try db.first("PRAGMA \(pragma)") { $0.integer(0) } ?? 0
    }

    // MARK: Statements

    func each(_ sql: String, _ values: [JSON], isKept: Bool, read: (RawRows) throws -> Bool) throws {
        try db.each(sql, values, isKept: isKept, read: read)
    }

    func write(_ rows: [[JSON]], _ sql: String) throws {
        guard !rows.isEmpty else { return }
        let statement = RawRows(try db.cachedStatement(sql: sql).sqliteStatement)
        defer { statement.reset() }
        for row in rows {
            statement.restart(with: row)
            while try statement.step(db) {}
        }
    }

    func change(_ sql: String, _ values: [JSON]) throws -> Int {
        try write([values], sql)
        return db.changesCount
    }
}

extension SQLiteTransaction {
    /// The hot path of a pull. Rows go from SQLite's memory into the page as JSON text, without an object for each row.
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        touch(scan.project)
        guard try !isIdle(scan) else { return SegmentScan.Outcome() }
        let query = scan.part.map { PartQuery(scan, of: $0, in: layout(scan.collection), registry) }
        let statement = try statement(of: scan, query)
        let cursor = RawRows(statement.sqliteStatement)
        defer { cursor.reset() }
        let encoder = encoder(scan.collection, scan.delivery.encoding)
        let middle = RowEncoder.middle(of: scan.project)
        var outcome = SegmentScan.Outcome()
        while try cursor.step(db) {
            guard outcome.hasRoom(in: scan, page) else {
                outcome.hasMore = true
                break
            }
            outcome.examined += 1
            serve(cursor, scan: scan, encoder: encoder, middle: middle, page: &page, outcome: &outcome)
            if !outcome.hasRoom(in: scan, page) {
                outcome.last = query?.position(of: cursor) ?? cursor.position(in: scan)
            }
        }
        return outcome
    }

    /// The statement, ready to step.
    private func statement(of scan: SegmentScan, _ query: PartQuery?) throws -> Statement {
        guard let query else {
            let statement = try db.cachedStatement(sql: PageQuery.sql(scan, layout(scan.collection)))
            RawRows(statement.sqliteStatement).restart(with: PageQuery.values(scan))
            return statement
        }
        let statement = try partStatements?.statement(query.sql, on: db) ?? db.makeStatement(sql: query.sql)
        RawRows(statement.sqliteStatement).restart(with: query.values(after: scan.position))
        return statement
    }

    private func serve(
        _ cursor: RawRows, scan: SegmentScan, encoder: RowEncoder, middle: [UInt8], page: inout PageWriter,
        outcome: inout SegmentScan.Outcome
    ) {
        guard let bucket = cursor.bucket(in: scan), outcome.takes(bucket, in: scan) else { return }
        if bucket == .deleted || bucket == .left {
            page.id(cursor.text(0), in: bucket)
        } else {
            cursor.write(encoder, middle, to: &page, isCreated: bucket == .created)
        }
    }
}

extension Database {
    /// The value of a setting in `tidemark_settings`; nil if there is none.
    func setting(_ name: String) throws -> String? {
        try String.fetchOne(self, sql: "SELECT value FROM tidemark_settings WHERE name = ?1", arguments: [name])
    }

    /// Writes a setting; nil removes it.
    func set(_ name: String, to value: String?) throws {
        guard let value else {
            return try execute(sql: "DELETE FROM tidemark_settings WHERE name = ?1", arguments: [name])
        }
        try execute(
            sql: """
                INSERT INTO tidemark_settings (name, value) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [name, value])
    }
}
