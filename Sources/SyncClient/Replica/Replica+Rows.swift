import GRDB
public import SyncProtocol

extension Replica {
    /// All rows of a collection by id, with `_status` and `_changed`; those deleted here included.
    /// Throws `ReplicaError.unknownCollection`.
    public func rows(of collection: String) throws -> [JSON] {
        let schema = try known(collection)
        return try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM \(SQLName.quoted(collection)) ORDER BY id")
                .map { try StoredRow($0, schema: schema).json }
        }
    }

    /// A row as `rows(of:)` tells it; nil where there is none. Throws `ReplicaError.unknownCollection`.
    public func row(of collection: String, id: String) throws -> JSON? {
        let schema = try known(collection)
        return try read { db in
            try Row.fetchOne(
                db, sql: "SELECT * FROM \(SQLName.quoted(collection)) WHERE id = ?", arguments: [id]
            ).map { try StoredRow($0, schema: schema).json }
        }
    }

    /// How many rows a collection has, those deleted here included. Throws `ReplicaError.unknownCollection`.
    public func count(of collection: String) throws -> Int {
        _ = try known(collection)
        return try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(SQLName.quoted(collection))") ?? 0 }
    }

    /// What the server did not take, or deleted, and what a wiped replica had unsent; the oldest first. Only what was
    /// set aside after the row of `number`, where one is given.
    public func setAside(after number: Int64 = 0) throws -> [SetAsideRow] {
        let sql = "SELECT * FROM _set_aside WHERE number > ? ORDER BY number"
        return try read { try Row.fetchAll($0, sql: sql, arguments: [number]) }.map(SetAsideRow.init)
    }

    /// Forgets a row that was set aside; nothing where it is forgotten already.
    public func dismiss(_ row: SetAsideRow) throws {
        try write { try $0.execute(sql: "DELETE FROM _set_aside WHERE number = ?", arguments: [row.number]) }
    }

    private func known(_ collection: String) throws -> CollectionSchema {
        guard let schema = try schema()?[collection] else { throw ReplicaError.unknownCollection(collection) }
        return schema
    }
}
