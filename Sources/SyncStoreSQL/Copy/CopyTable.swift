import SyncProtocol
package import SyncSchema

/// A table as a copy of the database carries it: only the columns that all engines have.
package struct CopyTable: Sendable, Equatable {
    package enum Kind: Sendable {
        /// One of `SystemTables`.
        case system
        /// The table of a collection of the registry.
        case collection
        /// The table of a removed collection, which has no constraints.
        case removed
    }

    package enum ColumnType: Sendable {
        case text, integer, boolean, real

        package func name(_ dialect: any SQLDialect) -> String {
            switch self {
            case .text: dialect.text
            case .integer: dialect.integer
            case .boolean: dialect.boolean
            case .real: dialect.real
            }
        }
    }

    package struct Column: Sendable, Equatable {
        package let name: String
        package let type: ColumnType

        package init(_ name: String, _ type: ColumnType) { (self.name, self.type) = (name, type) }
    }

    package let name: String
    package let kind: Kind
    package let columns: [Column]

    /// The columns in SQL, in their order.
    package var list: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

    /// The place of a column.
    package func place(of column: String) -> Int? { columns.firstIndex { $0.name == column } }
}

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
