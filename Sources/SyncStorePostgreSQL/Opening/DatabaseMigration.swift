import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Makes the tables of a new database, or brings those that are there in line with the schema files. Runs under the
/// exclusive lock of opening, so no server writes.
struct DatabaseMigration {
    private let tables: CollectionTables
    private let mender: any RowMender
    private let transaction: PostgreSQLTransaction
    private var session: Session { transaction.session }
    private var layouts: [TableLayout] { tables.registry.collections.map { tables[$0].layout } }

    init(_ session: Session, _ tables: CollectionTables, _ mender: any RowMender) {
        (self.tables, self.mender) = (tables, mender)
        transaction = PostgreSQLTransaction(session, tables, .installation)
    }

    /// Makes all tables.
    func make() throws {
        try TakenNames.refuse(layouts, own: nil, session)
        let statements = PostgreSQLDialect.systemTables.statements + AccountChanges.statements + OwnTables.statements
        for statement in statements { try session.execute(statement) }
        let schema = PostgreSQLTables(transaction)
        for layout in layouts {
            try layout.collection.requireFreePath()
            try schema.make(layout)
            for (name, statement) in layout.indexes.sorted(by: { $0.key < $1.key }) {
                try schema.makeIndex(name, statement)
            }
        }
        for layout in layouts {
            for (column, reference) in layout.addReferences where column != "project_id" {
                try session.execute(reference)
            }
        }
        try DatabaseLayout.record(transaction)
        try transaction.set("schemas", to: schemas)
    }

    /// Makes what older versions of this engine lack. A server of such a version can go on meanwhile.
    func upgrade() throws {
        let tables = PostgreSQLDialect.systemTables
        let statements = tables.audit + [tables.inboxByProject] + tables.largeRecords + OwnTables.gained
        for statement in statements { try session.execute(statement) }
        try DatabaseLayout.record(transaction)
    }

    /// Whether the tables were made with the same files.
    func isCurrent() throws -> Bool { try transaction.setting("schemas") == schemas }

    /// Changes the tables, and has all servers start again. Returns what happened to rows that don't follow the schema.
    func run() throws -> Mending {
        let old = try transaction.setting("schemas").map { try JSON(parsing: $0).array ?? [] } ?? []
        let kept = try transaction.setting("removed").map { try JSON(parsing: $0)["collections"]?.object ?? [:] }
        let own = old.compactMap { $0["title"]?.string } + (kept?.keys.map(\.self) ?? [])
        try TakenNames.refuse(layouts, own: Set(own), session)
        try TableLocks.take(own, session)
        let mending = try SchemaMigration(PostgreSQLTables(transaction), mender: mender).run(from: old, isCurrent: true)
        try transaction.set("schemas", to: schemas)
        try Home.countUp(session)
        return mending
    }

    private var schemas: String { JSON.array(tables.registry.collections.map(\.document)).text }
}
