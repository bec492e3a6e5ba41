import SyncProtocol
package import SyncSchema
import SyncStore

/// Reads whole tables of a database, in one state.
package protocol CopyReader {
    var registry: Registry { get }
    var dialect: any SQLDialect { get }
    /// The columns of a table, without those that only this engine has. Empty if there is no such table.
    func columns(of table: String) throws -> [CopyTable.Column]
    /// The value of a setting in `tidemark_settings`.
    func setting(_ name: String) throws -> String?
    func count(_ table: CopyTable) throws -> Int
    /// Calls `read` with the values of each row, in the order of the table's columns. Texts are valid during the call.
    func each(_ table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws
    /// The greatest key that the table has ever assigned.
    func lastKey(of table: String) throws -> Int64
}

extension CopyReader {
    /// All tables that a copy carries: those of every database, of the collections, and of removed collections.
    package func tables() throws -> [CopyTable] {
        let removed = try RemovedSchemas(setting(RemovedSchemas.setting))
        var tables = try SystemTables(dialect).names.map {
            CopyTable(name: $0, kind: .system, columns: try columns(of: $0))
        }
        for collection in registry.collections {
            let fields = removed.fields[collection.name] ?? [:]
            tables.append(
                CopyTable(
                    name: collection.name, kind: .collection,
                    columns: try columns(of: collection.name).map { removed.typed($0, in: fields) }))
        }
        for (name, properties) in removed.collections.sorted(by: { $0.key < $1.key }) {
            let fields = properties.merging(removed.fields[name] ?? [:]) { $1 }
            tables.append(
                CopyTable(
                    name: name, kind: .removed, columns: try columns(of: name).map { removed.typed($0, in: fields) }))
        }
        return tables
    }
}

/// The schemas of removed fields and collections that the database records. They tell booleans from integers, which
/// SQLite's columns don't.
private struct RemovedSchemas {
    static let setting = "removed"

    /// By collection and field.
    let fields: [String: [String: JSON]]
    /// The fields of removed collections.
    let collections: [String: [String: JSON]]

    init(_ text: String?) throws {
        let json = try text.map(JSON.init(parsing:)) ?? [:]
        fields = json["fields"]?.object?.mapValues { $0.object ?? [:] } ?? [:]
        collections = json["collections"]?.object?.mapValues { $0["properties"]?.object ?? [:] } ?? [:]
    }

    func typed(_ column: CopyTable.Column, in fields: [String: JSON]) -> CopyTable.Column {
        let flags = [SystemColumn.isDeleted.name, SystemColumn.isGated.name]
        guard column.type == .integer, flags.contains(column.name) || isBoolean(fields[column.name]) else {
            return column
        }
        return CopyTable.Column(column.name, .boolean)
    }

    private func isBoolean(_ schema: JSON?) -> Bool {
        let type = schema?["type"]
        return type?.string == "boolean" || type?.array?.contains { $0.string == "boolean" } == true
    }
}
