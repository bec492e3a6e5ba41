import SyncProtocol
import SyncSchema

/// Makes a table's indexes the same as its layout's.
struct IndexAlignment<Tables: SchemaTables> {
    private let layout: TableLayout
    private let tables: Tables
    private var table: String { layout.collection.name }

    /// The greatest number of groups of rows that an error names.
    private static var mostConflicts: Int { 5 }

    init(_ layout: TableLayout, _ tables: Tables) {
        self.layout = layout
        self.tables = tables
    }

    /// Drops indexes that the layout does not have, because each
    /// slows down every write, and makes those that are missing.
    ///
    /// Throws a `SchemaError` that names the rows in conflict if they break a unique
    /// key. A key that the file does not name, such as the one of memberships, then
    /// gets no index. The engine's rules still enforce it for all other rows.
    func run() throws {
        let present = try tables.alignedIndexes(layout)
        var missing = layout.indexes.filter { !present.contains($0.key) }
        for (name, key) in layout.impliedKeys where missing[name] != nil {
            if try !conflicts(over: key).isEmpty { missing[name] = nil }
        }
        if missing.values.contains(where: { $0.hasPrefix("CREATE UNIQUE") }) { try requireUniqueRows() }
        for name in missing.keys.sorted() { try tables.makeIndex(name, layout) }
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
        return try tables.transaction.all(
            """
            SELECT \(layout.dialect.joined("id")) || ' (project ' || project_id || ')' FROM
              (SELECT * FROM "\(table)" WHERE \(terms.joined(separator: " AND ")) ORDER BY id) AS t
            GROUP BY \((["project_id"] + columns).joined(separator: ", ")) HAVING count(*) > 1
            ORDER BY project_id, min(id) LIMIT \(Self.mostConflicts)
            """, [], isKept: false
        ) { $0.string(0) }
    }
}
