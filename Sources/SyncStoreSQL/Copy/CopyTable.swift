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
