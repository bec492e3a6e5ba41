import GRDB
import SyncProtocol
import SyncSchema
import SyncStoreSQL

/// Makes a table's indexes the same as its layout's.
struct IndexAlignment {
    private let layout: TableLayout
    private let db: Database
    private var table: String { layout.collection.name }

    /// The greatest number of groups of rows that an error names.
    private static let mostConflicts = 5

    init(_ layout: TableLayout, _ db: Database) {
        self.layout = layout
        self.db = db
    }

    /// Drops indexes that the layout does not have, because each
    /// slows down every write, and makes those that are missing.
    ///
    /// Throws a `SchemaError` that names the rows in conflict if they break a unique
    /// key. A key that the file does not name, such as the one of memberships, then
    /// gets no index. The engine's rules still enforce it for all other rows.
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
                    Start the server with the old file, change or delete all but one row of each group, then start \
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
