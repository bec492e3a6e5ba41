import GRDB
public import SyncProtocol

extension Replica {
    /// All rows of a collection, ordered by id. Each is an object with the fields of the wire, `_status` and
    /// `_changed`. Rows deleted here are included. Throws `ReplicaError.unknownCollection`.
    public func rows(of collection: String) throws -> [JSON] {
        let schema = try known(collection)
        return try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM \(SQLName.quoted(collection)) ORDER BY id")
                .map { try StoredRow($0, schema: schema).json }
        }
    }

    /// One row, as in `rows(of:)`; nil when there is none. Throws `ReplicaError.unknownCollection`.
    public func row(of collection: String, id: String) throws -> JSON? {
        let schema = try known(collection)
        return try read { db in
            try Row.fetchOne(
                db, sql: "SELECT * FROM \(SQLName.quoted(collection)) WHERE id = ?", arguments: [id]
            ).map { try StoredRow($0, schema: schema).json }
        }
    }

    /// How many rows a collection has, including rows deleted here. Throws `ReplicaError.unknownCollection`.
    public func count(of collection: String) throws -> Int {
        _ = try known(collection)
        return try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(SQLName.quoted(collection))") ?? 0 }
    }

    /// Copies of rows with edits that will not reach the server: the server refused the edit, deleted the row or
    /// removed its collection, or the replica was wiped. Ordered from the oldest. Contains only rows with a `number`
    /// above the given one.
    public func setAside(after number: Int64 = 0) throws -> [SetAsideRow] {
        let sql = "SELECT * FROM _set_aside WHERE number > ? ORDER BY number"
        return try read { try Row.fetchAll($0, sql: sql, arguments: [number]) }.map(SetAsideRow.init)
    }

    /// Forgets a row that was set aside. Does nothing if it was already forgotten.
    public func dismiss(_ row: SetAsideRow) throws {
        try write { try $0.execute(sql: "DELETE FROM _set_aside WHERE number = ?", arguments: [row.number]) }
    }

    private func known(_ collection: String) throws -> CollectionSchema {
        guard let schema = try schema()?[collection] else { throw ReplicaError.unknownCollection(collection) }
        return schema
    }
}
