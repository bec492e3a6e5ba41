import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// One transaction on the connection that it was begun on. Never leaves the closure that it is passed to.
struct SQLiteTransaction: SQLTransaction {
    let db: Database
    private let tables: CollectionTables
    private let scope: StoreScope
    let drawn = DrawnNumber()
    var registry: Registry { tables.registry }
    var statements: SQLStatements { SQLiteDialect.statements }

    init(_ db: Database, _ tables: CollectionTables, _ scope: StoreScope = .installation) {
        self.db = db
        self.tables = tables
        self.scope = scope
    }

    init(_ db: Database, _ store: SQLiteStore, _ scope: StoreScope) {
        self.init(db, store.tables, scope)
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
        let (pages, size) = (try number(of: "page_count"), try number(of: "page_size"))
        return pages * size
    }

    private func number(of pragma: String) throws -> Int64 {
        try db.first("PRAGMA \(pragma)") { $0.integer(0) } ?? 0
    }

    // MARK: Statements

    func each(_ sql: String, _ values: [JSON], isKept: Bool, _ read: (RawRows) throws -> Bool) throws {
        try db.each(sql, values, isKept: isKept, read)
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
