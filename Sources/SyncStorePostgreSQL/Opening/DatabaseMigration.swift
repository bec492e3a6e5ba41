import Foundation
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

    init(_ session: Session, tables: CollectionTables, mender: any RowMender) {
        self.tables = tables
        self.mender = mender
        transaction = PostgreSQLTransaction(session, tables: tables, scope: .installation)
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

    /// Makes what older versions of this engine lack. Servers of versions that don't know of parts have to end, because
    /// they would not note what moves between them; servers of later ones can go on meanwhile.
    func upgrade() throws {
        let tables = PostgreSQLDialect.systemTables
        let statements =
            tables.audit + tables.listed + [tables.inboxByProject] + tables.largeRecords + tables.files
            + OwnTables.gained
        for statement in statements { try session.execute(statement) }
        if try !DatabaseLayout.knowsParts(transaction) { try addParts() }
        try DatabaseLayout.record(transaction)
    }

    private func addParts() throws {
        let names = try owned()
        try TakenNames.refuse(layouts, own: Set(names), session)
        try TableLocks.take(names, session)
        try session.execute(
            "ALTER TABLE tidemark_projects ADD COLUMN IF NOT EXISTS filter_floor BIGINT NOT NULL DEFAULT 0")
        try session.execute("UPDATE tidemark_projects SET filter_floor = head")
        let schema = PostgreSQLTables(transaction)
        for name in names {
            try schema.alter(name, "ADD COLUMN IF NOT EXISTS \(SystemColumn.filterSeq.name) BIGINT")
        }
        for layout in layouts where names.contains(layout.collection.name) {
            for (index, statement) in layout.movedIndexes { try schema.makeIndex(index, statement) }
        }
        try Home.countUp(session)
    }

    /// The tables of collections that the database has, also of removed ones.
    private func owned() throws -> [String] {
        let old = try transaction.setting("schemas").map { try JSON(parsing: $0).array ?? [] } ?? []
        let kept = try transaction.setting("removed").map { try JSON(parsing: $0)["collections"]?.object ?? [:] }
        return old.compactMap { $0["title"]?.string } + (kept?.keys.map(\.self) ?? [])
    }

    /// Whether the tables were made with the same files.
    func isCurrent() throws -> Bool { try transaction.setting("schemas") == schemas }

    /// Changes the tables, and has all servers start again. Returns what happened to rows that don't follow the schema.
    func run() throws -> Mending {
        let old = try transaction.setting("schemas").map { try JSON(parsing: $0).array ?? [] } ?? []
        let own = try owned()
        try TakenNames.refuse(layouts, own: Set(own), session)
        try TableLocks.take(own, session)
        let mending = try SchemaMigration(PostgreSQLTables(transaction), mender: mender).run(from: old, isCurrent: true)
        try transaction.set("schemas", to: schemas)
        try Home.countUp(session)
        return mending
    }

    private var schemas: String { JSON.array(tables.registry.collections.map(\.document)).text }
}

/// The version of the tables: of those that all engines have, and of those that only this one has.
enum DatabaseLayout {
    /// The version of `OwnTables`, and of the form that tables have in this engine.
    private static let own = 8
    /// The oldest version of the tables of all engines that `DatabaseMigration.upgrade` knows.
    private static let oldestShared = 9
    private static let sharedSetting = "layout"
    static let ownSetting = "postgresql_layout"

    /// Whether the database has Tidemark's tables.
    static func isPresent(_ session: Session) throws -> Bool {
        let table = try session.ask("SELECT CAST(to_regclass('tidemark_settings') AS TEXT)").first
        return table.map { !$0.isNull(0) } ?? false
    }

    static func record(_ transaction: PostgreSQLTransaction) throws {
        try transaction.set(sharedSetting, to: TableLayout.version)
        try transaction.set(ownSetting, to: String(own))
    }

    /// Whether the tables are of this version. False for those that lack what came since their version, and that
    /// `DatabaseMigration.upgrade` can bring up to date. Throws a `StoreError` for all others. Changes nothing.
    static func isCurrent(_ transaction: PostgreSQLTransaction, _ address: ServerAddress) throws -> Bool {
        let shared = try number(sharedSetting, transaction)
        guard let shared, let recorded = try number(ownSetting, transaction) else {
            throw StoreError(
                "The database \(address) was made by an unfinished version of Tidemark.",
                hint: "Make a new database. To keep the data, run `tidemark export` with the version that made it, "
                    + "and `tidemark import` with this one.")
        }
        let present = Int(TableLayout.version) ?? 0
        if (oldestShared...present).contains(shared), (1...own).contains(recorded) {
            return shared == present && recorded == own
        }
        guard shared > present || recorded > own else {
            throw StoreError(
                "The database \(address) was made by an older version of Tidemark.",
                hint: "Use that version, or make a new database and import the projects into it.")
        }
        throw StoreError(
            "The database \(address) was made by a newer version of Tidemark. It was not changed.",
            hint: "Use that version or a later one. To go back, restore a backup from before the upgrade.")
    }

    /// Whether rows note what moves them between parts.
    static func knowsParts(_ transaction: PostgreSQLTransaction) throws -> Bool {
        try (number(sharedSetting, transaction) ?? 0) > oldestShared
    }

    /// A text that is not a number belongs to a version that this one knows nothing about, and counts as newer.
    private static func number(_ setting: String, _ transaction: PostgreSQLTransaction) throws -> Int? {
        try transaction.setting(setting).map { Int($0) ?? .max }
    }
}

/// The tables that only this engine has, and settings of tables that are written often.
enum OwnTables {
    /// The columns that only this engine has, by table.
    static let columns = ["tidemark_projects": ["changes"]]

    static let statements =
        [
            // Counts transactions that changed anything of the project. See `Marker`.
            "ALTER TABLE tidemark_projects ADD COLUMN IF NOT EXISTS changes BIGINT NOT NULL DEFAULT 0",
            // Commits that have no number yet. See `Numbering`.
            "CREATE SEQUENCE IF NOT EXISTS tidemark_commit_order",
            """
            CREATE TABLE IF NOT EXISTS tidemark_new_commits (
              place BIGINT NOT NULL,
              project_id TEXT COLLATE "C" NOT NULL,
              sync_seq BIGINT NOT NULL,
              at BIGINT NOT NULL,
              audiences TEXT NOT NULL,
              changes_sight SMALLINT NOT NULL,
              PRIMARY KEY (project_id, sync_seq)
            )
            """,
            // See `Receipt`.
            """
            CREATE TABLE IF NOT EXISTS tidemark_receipts (
              at BIGINT NOT NULL,
              id BIGINT NOT NULL,
              is_commit SMALLINT NOT NULL,
              asked BIGINT NOT NULL DEFAULT 0,
              PRIMARY KEY (at, id)
            )
            """,
            SharedThrottle.table,
        ] + Home.tables + hot.map { "ALTER TABLE tidemark_\($0) SET (fillfactor = 50, \(vacuum))" }

    /// The columns that databases of older versions lack. A server of such a version does not name them.
    static let gained = ["sent", "sent_at"].map {
        "ALTER TABLE tidemark_devices ADD COLUMN IF NOT EXISTS \($0) BIGINT"
    }

    /// Their rows change with every commit. With room on the page, an update touches no index:
    /// https://www.postgresql.org/docs/15/storage-hot.html
    private static let hot = ["projects", "row_counts", "digests", "account_changes", "nodes"]
    private static let vacuum = """
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
        """
}

/// Takes the tables from readers before they are changed, all at once or none.
///
/// A reader that reads one table while it waits for another would end in a deadlock with the change, and the server
/// breaks those by failing the reader. So the locks are given back before the server looks for deadlocks, which is
/// after a second: https://www.postgresql.org/docs/15/runtime-config-locks.html
enum TableLocks {
    private static let patience = "300ms"
    /// More than a stream lasts.
    private static let mostTries = 300
    /// In seconds. Nobody else uses the thread that opens a store.
    private static let longestPause = 0.2

    /// Who waits for the first table must not hold a later one. Nearly every read begins with the projects. For the
    /// others, each try begins with another table.
    private static func order(_ tables: [String], _ attempt: Int) -> [String] {
        let first = attempt % tables.count
        return ["tidemark_projects"] + tables[first...] + tables[..<first]
    }

    /// Throws a `DatabaseError` if readers don't leave the tables.
    static func take(_ tables: [String], _ session: Session) throws {
        guard !tables.isEmpty else { return }
        for attempt in 1... {
            let list = order(tables.sorted(), attempt).map { "\"\($0)\"" }.joined(separator: ", ")
            do {
                try session.execute("SAVEPOINT locks")
                try session.execute("SET LOCAL lock_timeout = '\(patience)'")
                try session.execute("LOCK TABLE \(list) IN ACCESS EXCLUSIVE MODE")
                try session.execute("SET LOCAL lock_timeout = '120s'")
                try session.execute("RELEASE SAVEPOINT locks")
                return try session.fly()
            } catch let error as DatabaseError where error.state == "55P03" && attempt < mostTries {
                try session.undo(to: "locks")
                Thread.sleep(forTimeInterval: .random(in: 0...longestPause))
            }
        }
    }
}

/// The database may hold tables of others. They must not have names that Tidemark's tables and indexes need.
enum TakenNames {
    /// Throws a `StoreError` if somebody else's table, index, view or sequence has the name of a table or an index of
    /// the layouts. `own` are the collections that have a table already; nil in a database without Tidemark's tables.
    static func refuse(_ layouts: [TableLayout], own: Set<String>?, _ session: Session) throws {
        let wanted = layouts.flatMap { [$0.collection.name] + $0.indexes.keys }
        let taken = try session.ask(
            question + (own == nil ? " OR c.relname LIKE 'tidemark\\_%')" : ")") + " ORDER BY 1 LIMIT 1",
            [Parameters.list(wanted), Parameters.list(Array(own ?? []))], isKept: false
        ).first?.string(0)
        guard let taken else { return }
        throw StoreError(
            "The database already has \(taken), which Tidemark did not make and whose name it needs.",
            hint: "Rename that table or index, or give Tidemark a database of its own.")
    }

    /// The names among ?1 that are taken, without the tables ?2 and their indexes.
    private static let question = """
        SELECT CAST(c.relname AS TEXT) FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
          LEFT JOIN pg_class t ON t.oid = i.indrelid
        WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
          AND NOT COALESCE(t.relname, c.relname) = ANY(CAST(?2 AS TEXT[])) AND (c.relname = ANY(CAST(?1 AS TEXT[]))
        """
}
