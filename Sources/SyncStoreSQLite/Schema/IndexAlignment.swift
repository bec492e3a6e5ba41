import GRDB
import SyncProtocol
import SyncSchema
import SyncStoreSQL

/// Makes a table's indexes those of its layout.
struct IndexAlignment {
    private let layout: TableLayout
    private let db: Database
    private var table: String { layout.collection.name }

    /// How many groups of rows a refusal names.
    private static let mostConflicts = 5

    init(_ layout: TableLayout, _ db: Database) {
        self.layout = layout
        self.db = db
    }

    /// What is there and not in the layout goes, as each costs every write. Throws a `SchemaError` with the rows in
    /// conflict for a unique key that they don't keep. A key that the file does not name, as that of memberships, has
    /// no index then: the rules keep it for all other rows.
    func run() throws {
        let sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL"
        let present = Dictionary(
            try Row.fetchAll(db, sql: sql, arguments: [table]).map { ($0["name"] as String, $0["sql"] as String) }
        ) { $1 }
        for (name, statement) in present where layout.indexes[name] != statement {
            try db.execute(sql: "DROP INDEX \"\(name)\"")
        }
        var missing = layout.indexes.filter { present[$0.key] != $0.value }
        for (name, key) in layout.impliedKeys where missing[name] != nil {
            if try !conflicts(over: key).isEmpty { missing[name] = nil }
        }
        if missing.values.contains(where: { $0.hasPrefix("CREATE UNIQUE") }) { try requireUniqueRows() }
        for (_, statement) in missing.sorted(by: { $0.key < $1.key }) { try db.execute(sql: statement) }
    }

    private func requireUniqueRows() throws {
        for (index, key) in layout.collection.uniqueKeys.enumerated() where !key.isImplied {
            let groups = try conflicts(over: key)
            guard !groups.isEmpty else { continue }
            throw SchemaError(
                file: table, pointer: "/x-unique/\(index)",
                reason: """
                    rows have the same \(key.fields.joined(separator: ", ")): \(groups.joined(separator: "; ")). \
                    Start the server with the file as it was, change or delete all but one of each, then start \
                    it with this file.
                    """)
        }
    }

    private func conflicts(over key: Collection.UniqueKey) throws -> [String] {
        let columns = key.fields.map { "\"\($0)\"" }
        let terms = [TableLayout.condition(of: key)] + columns.map { "\($0) IS NOT NULL" }
        return try String.fetchAll(
            db,
            sql: """
                SELECT group_concat(id, ', ') || ' (project ' || project_id || ')' FROM
                  (SELECT * FROM "\(table)" WHERE \(terms.joined(separator: " AND ")) ORDER BY id)
                GROUP BY \((["project_id"] + columns).joined(separator: ", ")) HAVING count(*) > 1
                ORDER BY project_id, min(id) LIMIT \(Self.mostConflicts)
                """)
    }
}
