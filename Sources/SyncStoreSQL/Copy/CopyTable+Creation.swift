import SyncProtocol
package import SyncSchema

/// How an engine makes the tables of a copy.
extension CopyTable {
    /// The columns of removed fields, as `CREATE TABLE` has them.
    package func keptColumns(beside layout: TableLayout) -> [String] {
        let fields = layout.collection.fields.map(\.name)
        let known = Set(SystemColumn.allCases.map(\.name) + fields)
        return columns.filter { !known.contains($0.name) }.map { column in
            let removed = layout.collection.removedFields.first { $0.name == column.name }
            let fallback = removed.flatMap { $0.fallback.isNull ? nil : SQLLiteral.text(storing: $0.fallback) }
            return "\"\(column.name)\" \(column.type.name(layout.dialect))"
                + (fallback.map { " DEFAULT \($0)" } ?? "")
        }
    }

    /// Makes the table of a removed collection, without references.
    package func createRemoved(_ dialect: any SQLDialect) -> String {
        let definitions = columns.map { column in
            SystemColumn.allCases.first { $0.name == column.name }?.definition(dialect, isReferring: false)
                ?? "\"\(column.name)\" \(column.type.name(dialect))"
        }
        return "CREATE TABLE \"\(name)\" (\(definitions.joined(separator: ", "))) \(dialect.tableOptions)"
    }
}

extension TableLayout {
    /// Selects a row if rows break the unique key, or none if they don't.
    package func conflict(over key: Collection.UniqueKey) -> String {
        let columns = key.fields.map { "\"\($0)\"" }
        let terms = [TableLayout.condition(of: key)] + columns.map { "\($0) IS NOT NULL" }
        return """
            SELECT 1 FROM "\(collection.name)" WHERE \(terms.joined(separator: " AND "))
            GROUP BY \((["project_id"] + columns).joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1
            """
    }

    /// The statements that make the indexes. An implied key that rows break gets none, as when a database is opened.
    package func indexesToMake(
        _ isBroken: (String) throws -> Bool
    ) rethrows -> [(name: String, statement: String)] {
        var indexes = indexes
        for (name, key) in impliedKeys where try isBroken(conflict(over: key)) { indexes[name] = nil }
        return indexes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
