import SyncSchema
import SyncStore

/// The table of a collection: its columns in their order, and the SQL and the encoder made from them once.
struct TableLayout: Sendable {
    let collection: Collection

    /// The columns in front of the fields', in the order of every SELECT.
    static let systemColumns = [
        "id", "server_version", "is_deleted", "sync_seq", "created_seq", "is_gated", "gate_seq", "project_id",
        "content_seq", "inserted_by", "inserted_at", "gate_changes",
    ]

    /// Columns that tables of earlier versions lack, and how they are added.
    static let laterColumns = [
        "inserted_by": "INTEGER", "inserted_at": "INTEGER", "gate_changes": "TEXT", "row_checksum": "INTEGER",
    ]

    /// Of the system columns and indexes, and of what is derived from rows; a file of another version goes through
    /// `SchemaMigration`.
    static let version = "6"

    /// The system columns that a write can change.
    static let stampColumns = [
        "server_version", "is_deleted", "sync_seq", "is_gated", "gate_seq", "content_seq", "gate_changes",
    ]

    /// Quoted: a field may have a keyword's name.
    var fieldColumns: [String] { collection.fields.map { "\"\($0.name)\"" } }

    private let encoders: [RowEncoder]
    let insert: String
    let update: String
    /// Writes `stampColumns` of the row ?1.
    let restamp: String
    /// Makes the live rows of project ?1 tombstones of commit ?2.
    let tombstoneAll: String
    /// What the column `row_checksum` must hold, as an SQL expression.
    let checksum: String
    let selectByID: String
    /// `SELECT` of all columns up to `WHERE`.
    let select: String
    let purge: PurgeQuery

    init(_ collection: Collection, _ registry: Registry) {
        self.collection = collection
        purge = PurgeQuery(collection, registry)
        encoders = WireEncoding.allCases.map { RowEncoder(collection, $0) }
        let fields = collection.fields.map { "\"\($0.name)\"" }
        let columns = TableLayout.systemColumns + fields
        let places = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
        let list = columns.joined(separator: ", ")
        select = "SELECT \(list) FROM \"\(collection.name)\" WHERE "
        selectByID = select + "id = ?1"
        checksum = RowChecksum.expression(of: columns)
        let bound = RowChecksum.expression(of: (1...columns.count).map { "?\($0)" })
        insert = "INSERT INTO \"\(collection.name)\" (\(list), row_checksum) VALUES (\(places), \(bound))"
        let assignments = columns.enumerated().dropFirst().map { "\($1) = ?\($0 + 1)" } + ["row_checksum = \(bound)"]
        update = "UPDATE \"\(collection.name)\" SET \(assignments.joined(separator: ", ")) WHERE id = ?1"
        let stamps = zip(TableLayout.stampColumns, 2...).map { ($0, "?\($1)") }
        restamp = TableLayout.update(collection, columns, to: stamps) + " WHERE id = ?1"
        tombstoneAll =
            TableLayout.update(
                collection, columns,
                to: [
                    ("server_version", "server_version + 1"), ("is_deleted", "1"), ("sync_seq", "?2"),
                    ("content_seq", "?2"),
                ]) + " WHERE project_id = ?1 AND is_deleted = 0"
    }

    /// `UPDATE` of some of the columns, and of the checksum with them.
    private static func update(
        _ collection: Collection, _ columns: [String], to values: [(column: String, value: String)]
    ) -> String {
        let changed = Dictionary(uniqueKeysWithValues: values.map { ($0.column, $0.value) })
        let checksum = RowChecksum.expression(of: columns.map { changed[$0] ?? $0 })
        let assignments = values.map { "\($0.column) = \($0.value)" } + ["row_checksum = \(checksum)"]
        return "UPDATE \"\(collection.name)\" SET \(assignments.joined(separator: ", "))"
    }

    /// Made once for each encoding, in the order of their cases.
    func encoder(_ encoding: WireEncoding) -> RowEncoder {
        switch encoding {
        case .json: encoders[0]
        case .watermelondb: encoders[1]
        }
    }

    /// `SELECT` of the live rows whose `field` is, or whose list `field` holds, one of ?1 … ?n, where n is `values`. Of
    /// a user's rows those in project ?n+1; a reference never leaves its project, and naming the project too would lead
    /// the planner to the wrong index.
    func selectReferrers(by field: Field, values: Int) -> String {
        let places = (1...values).map { "?\($0)" }.joined(separator: ", ")
        if field.reference?.isList ?? false {
            return select + """
                is_deleted = 0 AND id IN (
                  SELECT row_id FROM tidemark_list_references
                  WHERE collection = '\(collection.name)' AND field = '\(field.name)' AND target IN (\(places)))
                """
        }
        let ofProject = field.user == nil ? "" : " AND project_id = ?\(values + 1)"
        return select + "\"\(field.name)\" IN (\(places)) AND is_deleted = 0" + ofProject
    }

    // MARK: DDL

    /// `CREATE TABLE`. References are checked at the commit, because rows of a batch may refer to later ones.
    var createTable: String { createTable(named: collection.name) }

    /// The same under another name, with columns of removed fields behind those of the others.
    func createTable(named name: String, kept: [String] = []) -> String {
        let last =
            ["  row_checksum INTEGER"] + collection.fields.map { "  \(TableLayout.definition(of: $0))" }
            + kept.map { "  \($0)" }
        return """
            CREATE TABLE "\(name)" (
              id TEXT NOT NULL PRIMARY KEY,
              server_version INTEGER NOT NULL CHECK (server_version >= 1),
              is_deleted INTEGER NOT NULL CHECK (is_deleted IN (0, 1)),
              sync_seq INTEGER NOT NULL CHECK (sync_seq >= 1),
              created_seq INTEGER NOT NULL,
              is_gated INTEGER NOT NULL CHECK (is_gated IN (0, 1)),
              gate_seq INTEGER NOT NULL,
              project_id TEXT NOT NULL REFERENCES tidemark_projects (id),
              content_seq INTEGER NOT NULL,
              inserted_by INTEGER,
              inserted_at INTEGER,
              gate_changes TEXT,
            \(last.joined(separator: ",\n"))
            ) STRICT
            """
    }

    static func definition(of field: Field) -> String {
        var text = "\"\(field.name)\" \(sqlType(of: field))"
        if !field.value.isNullable { text += " NOT NULL" }
        if field.value.kind == .boolean { text += " CHECK (\"\(field.name)\" IN (0, 1))" }
        if let reference = field.reference, !reference.isList {
            text += " REFERENCES \"\(reference.collection)\" (id) DEFERRABLE INITIALLY DEFERRED"
        }
        return text
    }

    static func sqlType(of field: Field) -> String {
        switch field.value.kind {
        case .string, .array, .object: "TEXT"
        case .integer, .boolean: "INTEGER"
        case .number: "REAL"
        }
    }

    /// `CREATE INDEX` by index name.
    var indexes: [String: String] {
        var indexes = pageIndexes
        // Tombstones are in it too: SQLite looks for children here when it checks a deferred foreign key, and a
        // condition on `is_deleted` would make it read the whole table instead.
        // https://sqlite.org/foreignkeys.html#fk_indexes
        for field in collection.fields where field.reference.map({ !$0.isList }) ?? false {
            indexes["\(collection.name)_ref_\(field.name)"] = "(\"\(field.name)\")" + TableLayout.condition(on: field)
        }
        for field in collection.fields where field.user != nil {
            indexes["\(collection.name)_user_\(field.name)"] =
                "(project_id, \"\(field.name)\")" + TableLayout.condition(on: field, "is_deleted = 0")
        }
        let plain = indexes.mapValues { "ON \"\(collection.name)\" \($0)" }
        return plain.reduce(into: uniqueIndexes) { $0[$1.key] = "CREATE INDEX \"\($1.key)\" \($1.value)" }
    }

    /// Of a partial index. `IS NOT NULL` of a column that can't be null would keep SQLite from using the index.
    private static func condition(on field: Field, _ terms: String...) -> String {
        let terms = terms + (field.value.isNullable ? ["\"\(field.name)\" IS NOT NULL"] : [])
        return terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
    }

    /// One index for each order in which pages are served.
    private var pageIndexes: [String: String] {
        var indexes = ["\(collection.name)_sync": "(project_id, sync_seq, id)"]
        switch collection.visibility {
        case .everyone: break
        case .own(let field):
            indexes["\(collection.name)_own"] = "(project_id, \"\(field)\", sync_seq, id)"
        case .gate, .inherited:
            indexes["\(collection.name)_ungated"] = "(project_id, sync_seq, id) WHERE is_gated = 0"
            indexes["\(collection.name)_hidden"] = "(project_id, gate_seq, id) WHERE is_gated = 1"
        }
        indexes["\(collection.name)_dead"] = "(project_id, sync_seq, id) WHERE is_deleted = 1"
        // For drains without tombstones; of one's own rows few are. Of two indexes that serve a query alike SQLite
        // takes the one made last, which by the order of names is this one.
        var owner = ""
        if case .own(let field) = collection.visibility {
            owner = "\"\(field)\", "
        } else {
            indexes["\(collection.name)_sync_live"] = "(project_id, sync_seq, id) WHERE is_deleted = 0"
        }
        // The gate is a column here, not a condition: of two partial indexes with one condition each SQLite could take
        // either for a query that has both.
        if collection.isGated {
            indexes["\(collection.name)_ungated_live"] = "(project_id, is_gated, sync_seq, id) WHERE is_deleted = 0"
        }
        // For lists, which are of live rows in the order of their creation: by id, each new row would fall on a page of
        // its own, and an upload of 500 took half as long again.
        indexes["\(collection.name)_created"] = "(project_id, \(owner)created_seq, id) WHERE is_deleted = 0"
        return indexes
    }

    /// Names of unique indexes that the schema file does not name a key for.
    var impliedKeys: [(index: String, key: Collection.UniqueKey)] {
        zip(uniqueKeyNames, collection.uniqueKeys).filter(\.1.isImplied).map { ($0, $1) }
    }

    /// By unique key.
    private var uniqueKeyNames: [String] {
        collection.uniqueKeys.reduce(into: []) { names, key in
            // Keys over the same fields differ in their condition.
            var name = "\(collection.name)_unique_\(key.fields.joined(separator: "_"))"
            while names.contains(name) { name += "_more" }
            names.append(name)
        }
    }

    private var uniqueIndexes: [String: String] {
        var indexes: [String: String] = [:]
        for (name, key) in zip(uniqueKeyNames, collection.uniqueKeys) {
            let columns = (key.fields.map { "\"\($0)\"" } + ["project_id"]).joined(separator: ", ")
            let condition = TableLayout.condition(of: key)
            indexes[name] =
                "CREATE UNIQUE INDEX \"\(name)\" ON \"\(collection.name)\" (\(columns)) WHERE \(condition)"
        }
        return indexes
    }

    /// The rows among which a key is unique, in the words of its partial index.
    static func condition(of key: Collection.UniqueKey) -> String {
        let terms = key.condition.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \(SQLLiteral.text($0.value))" }
        return (["is_deleted = 0"] + terms).joined(separator: " AND ")
    }
}
