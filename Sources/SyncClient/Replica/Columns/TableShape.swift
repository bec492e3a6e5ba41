import GRDB
import SyncProtocol

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
