import GRDB
public import SyncProtocol

/// A row as it was here, with something in it that is not on the server and will not be.
public struct SetAsideRow: Sendable, Equatable {
    /// Rises with time.
    public let number: Int64
    /// The collection it was in.
    public let collection: String
    /// Its id.
    public let id: String
    /// All its columns, `_status` and `_changed` included.
    public let row: JSON
    /// The contract's code for why.
    public let reason: String
    /// When, in UTC.
    public let time: String
}

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

    /// How many rows a collection has, those deleted here included. Throws `ReplicaError.unknownCollection`.
    public func count(of collection: String) throws -> Int {
        _ = try known(collection)
        return try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(SQLName.quoted(collection))") ?? 0 }
    }

    /// What the server did not take, or deleted, and what a wiped replica had unsent; the oldest first.
    public func setAside() throws -> [SetAsideRow] {
        try read { try Row.fetchAll($0, sql: "SELECT * FROM _set_aside ORDER BY number") }.map { row in
            SetAsideRow(
                number: row["number"], collection: row["collection"], id: row["id"],
                row: try JSON(parsing: row["row"] as String),
                reason: row["reason"], time: row["time"])
        }
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

/// A row as it lies in its table.
struct StoredRow {
    /// The wire's fields, `_status` and `_changed`; not the columns that mean nothing outside the replica.
    let json: JSON

    init(_ row: Row, schema: CollectionSchema?) throws {
        let kinds = Dictionary(uniqueKeysWithValues: (schema?.columns ?? []).map { ($0.name, $0.kind) })
        var members: [String: JSON] = [:]
        for (name, value) in row where !["_drain", "_base"].contains(name) {
            members[name] = try SQLValue.decode(value, as: kinds[name])
        }
        json = .object(members)
    }
}
