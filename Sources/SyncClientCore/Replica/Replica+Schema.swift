import GRDB
import SyncProtocol

extension Replica {
    /// The schema that the tables follow, inside a transaction.
    static func storedSchema(of state: ReplicaState, _ db: Database) throws -> ServerSchema? {
        try String.fetchOne(db, sql: "SELECT document FROM _schema")
            .map { try ServerSchema(JSON(parsing: $0), allProjects: state.scope == .allProjects) }
    }

    /// Makes the tables follow `schema`, in one transaction. Returns the state afterwards.
    /// Repeating the call changes nothing.
    ///
    /// The drain is dropped, since its cursor belongs to the old schema. A new table or column lacks the values of all
    /// commits up to the watermark, so it voids the watermark as well, even if the app's schema has brought its table
    /// or column before. Tables and columns that the schema no longer has stay as they are: they may hold edits that
    /// were never sent, see `setAsideRemoved`.
    func adopt(_ schema: ServerSchema) throws -> ReplicaState {
        try write { db in
            let state = try Self.state(db)
            let former = state.schemaVersion == ServerSchema.appVersion ? nil : try Self.storedSchema(of: state, db)
            try dropChangedTypes(schema.widened(by: appSchema), beyond: former, db)
            let hasGrown = try schema.collections.map { try TableShape(collection: $0).grow(db) }.contains(true)
            let grown = hasGrown || former.map(schema.hasMore) ?? false
            try widen(schema, db)
            try owe(schema, since: former, db)
            if !grown && state.schemaVersion == schema.version { return state }
            try db.execute(
                sql: "INSERT OR REPLACE INTO _schema (only, document) VALUES (1, ?)", arguments: [schema.json.text])
            var next = state.reset(resync: grown)
            next.schemaVersion = schema.version
            try Self.dropDrain(of: state, before: next, schema, db)
            try next.save(db)
            return next
        }
    }

    /// Makes the tables and columns that only the app's schema has, and the app's indexes.
    func widen(_ schema: ServerSchema, _ db: Database) throws {
        let local = schema.widened(by: appSchema)
        if appSchema != nil {
            try dropChangedTypes(local, beyond: schema, db)
            for collection in local.collections { _ = try TableShape(collection: collection).grow(db) }
        }
        try makeIndexes(local, db)
    }

    /// Unsent rows of collections that `former` lacked were made by the app's schema. What they have beyond the fetched
    /// schema stays unsent, until the server has it, too.
    private func owe(_ schema: ServerSchema, since former: ServerSchema?, _ db: Database) throws {
        guard schema.version != ServerSchema.appVersion else { return }
        for collection in schema.widened(by: appSchema).collections where former?[collection.name] == nil {
            guard let fetched = schema[collection.name] else { continue }
            let more = collection.columns(beyond: fetched)
            let table = RowTable(db, collection)
            for var row in more.isEmpty ? [] : try table.unsent() where row.status != .deleted {
                row.changed.formUnion(more.filter { row.values[$0.name] != $0.defaultValue }.map(\.name))
                try table.save(row)
            }
        }
    }

    /// Drops columns that only an app's schema has had, if they have another type now. Edits of them are set aside.
    private func dropChangedTypes(_ local: ServerSchema, beyond known: ServerSchema?, _ db: Database) throws {
        for collection in local.collections where try db.tableExists(collection.name) {
            let types = Dictionary(
                uniqueKeysWithValues: try db.columns(in: collection.name).map { ($0.name, $0.type.uppercased()) })
            for column in collection.columns(beyond: known?[collection.name]) {
                guard let type = types[column.name], type != column.kind.sqlType else { continue }
                try collection.drop(column, db)
            }
        }
    }

    /// Makes the app's indexes that are missing.
    private func makeIndexes(_ schema: ServerSchema, _ db: Database) throws {
        for (collection, indexes) in indexes.sorted(by: { $0.key < $1.key }) {
            for index in indexes { try index.make(on: collection, of: schema, db) }
        }
    }

    /// Copies unsent edits in collections that the server has removed to `_set_aside`. Their rows leave the replica: if
    /// the collection ever comes back, the server delivers all of it again. Rows of a batch that waits for its answer
    /// stay until there is one. Returns how many were copied.
    func setAsideRemoved(at time: Instant) throws -> Int {
        guard let schema = try schema() else { return 0 }
        guard try !read({ try Self.removedTables(schema, $0) }).isEmpty else { return 0 }
        let aside = SetAside(reason: SetAside.collectionRemoved, time: time.text)
        return try writeDurably { db in
            try Self.removedTables(schema, db).reduce(0) { count, table in
                let isOpen = "NOT \(Self.isWaiting(table))"
                let copied = try aside.copyUnsent(
                    db, table: table, schema: nil, where: "\(isOpen) AND NOT \(Self.isAnsweredDeletion(table))")
                try db.execute(
                    sql: """
                        DELETE FROM \(SQLName.quoted(table)) WHERE _status <> 'synced' AND \(isOpen);
                        DELETE FROM _refused WHERE collection = '\(table)'
                        """)
                return count + copied
            }
        }
    }

    /// The tables of removed collections in which something is unsent, and no batch with it waits for its answer.
    static func removedTables(_ schema: ServerSchema, _ db: Database) throws -> [String] {
        try tables(db).filter { table in
            guard schema[table] == nil else { return false }
            return try db.columns(in: table).contains { $0.name == "_status" } && hasUnsent(in: table, db)
        }
    }

    private static func hasUnsent(in table: String, _ db: Database) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM \(SQLName.quoted(table)) WHERE _status <> 'synced' AND NOT \(isWaiting(table)))
            """
        return try Bool.fetchOne(db, sql: sql) ?? false
    }

    /// An SQL condition: a batch with the row waits for its answer.
    private static func isWaiting(_ table: String) -> String {
        """
        id IN (
            SELECT row.id FROM _batch_row row JOIN _batch ON _batch.number = row.batch
            WHERE row.collection = '\(table)' AND timestamp IS NULL)
        """
    }
}

extension CollectionSchema {
    /// Drops a column that the server never had. Rows with edits of it are set aside first. They are read without it:
    /// its values are of another type.
    fileprivate func drop(_ column: ColumnSchema, _ db: Database) throws {
        let rest = without(column)
        let table = RowTable(db, rest)
        let aside = SetAside(reason: ErrorCode.unknownField.rawValue, time: SyncEnvironment.live.wallClock().text)
        for var row in try table.unsent() where row.changed.contains(column.name) {
            try aside.copy(db, row.id, of: rest)
            row.changed.remove(column.name)
            row.base?.values[column.name] = nil
            if row.status == .updated && row.changed.isEmpty { row.settle() }
            try table.save(row)
        }
        for index in try db.indexes(on: name) where index.columns.contains(column.name) {
            try db.execute(sql: "DROP INDEX \(SQLName.quoted(index.name))")
        }
        try db.execute(sql: "ALTER TABLE \(SQLName.quoted(name)) DROP COLUMN \(SQLName.quoted(column.name))")
    }
}

extension ColumnSchema {
    var definition: String { "\(SQLName.quoted(name)) \(kind.sqlType) DEFAULT \(defaultLiteral)" }

    private var defaultLiteral: String {
        switch SQLValue.encode(defaultValue).storage {
        case .int64(let value): String(value)
        case .double(let value): String(value)
        case .string(let value) where !value.utf8.contains(0): Self.quoted(value)
        default: "NULL"
        }
    }

    /// Quotes by Unicode scalars: Swift treats a quote and a combining mark after it as one character.
    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars { quoted.append(contentsOf: scalar == "'" ? [scalar, scalar] : [scalar]) }
        return String(quoted) + "'"
    }
}

extension ColumnSchema.Kind {
    var sqlType: String {
        switch self {
        case .text, .document: "TEXT"
        case .integer, .boolean: "INTEGER"
        case .real: "REAL"
        case .any: "ANY"
        }
    }
}

/// A collection's table.
///
/// `_drain` is the number of the last drain that delivered the row. A replacement ends by removing the rows with an
/// older number. The column costs little, since the row is written anyway; a separate table of delivered ids would be a
/// second B-tree for the whole project. The column also reveals an id that the server sends twice in one drain.
///
/// `_base` holds the server's values of a row that has unsent edits.
struct TableShape {
    let collection: CollectionSchema

    /// Creates the table, or adds the columns that it lacks. Returns whether it added anything. Throws
    /// `ReplicaError.columnChanged` when an existing column has another type.
    func grow(_ db: Database) throws -> Bool {
        guard try db.tableExists(collection.name) else {
            try create(db)
            return true
        }
        let present = try db.columns(in: collection.name)
        let types = Dictionary(uniqueKeysWithValues: present.map { ($0.name.lowercased(), $0.type) })
        try checkTypes(types)
        let missing = collection.columns.filter { types[$0.name.lowercased()] == nil }
        for column in missing { try add(column, db) }
        try indexProject(db)
        return !missing.isEmpty
    }

    private func create(_ db: Database) throws {
        let own = [
            "\"id\" TEXT PRIMARY KEY NOT NULL", "\"server_version\" INTEGER NOT NULL DEFAULT 0",
            "\"_status\" TEXT NOT NULL DEFAULT 'synced' CHECK (\"_status\" IN (\(Self.statuses)))",
            "\"_changed\" TEXT NOT NULL DEFAULT ''", "\"_drain\" INTEGER NOT NULL DEFAULT 0", "\"_base\" TEXT",
        ]
        let definitions = own + collection.columns.map(\.definition)
        try db.execute(
            sql: "CREATE TABLE \(SQLName.quoted(collection.name)) (\(definitions.joined(separator: ", "))) STRICT")
        try db.execute(sql: Self.unsentIndex(collection.name))
        try indexProject(db)
    }

    private func indexProject(_ db: Database) throws {
        if collection.projectPlace != nil { try db.execute(sql: ProjectColumn.index(collection.name)) }
    }

    /// SQL for an index of the rows with unsent edits. Looking for them costs nothing when there are none.
    static func unsentIndex(_ table: String) -> String {
        """
        CREATE INDEX IF NOT EXISTS \(SQLName.quoted("_unsent_" + table)) ON \(SQLName.quoted(table)) (_status)
        WHERE _status <> 'synced'
        """
    }

    private static var statuses: String { RowStatus.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") }

    private func add(_ column: ColumnSchema, _ db: Database) throws {
        try db.execute(sql: "ALTER TABLE \(SQLName.quoted(collection.name)) ADD COLUMN \(column.definition)")
    }

    private func checkTypes(_ types: [String: String]) throws {
        for column in collection.columns {
            guard let type = types[column.name.lowercased()], type.uppercased() != column.kind.sqlType else { continue }
            throw ReplicaError.columnChanged(collection: collection.name, column: column.name)
        }
    }
}
