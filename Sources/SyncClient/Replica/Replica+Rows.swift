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
    /// Why, field by field as the server said it; at least one.
    public let refusals: [RefusedRow]
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

extension SetAsideRow {
    fileprivate init(_ row: Row) throws {
        let (collection, id, reason) = (row["collection"] as String, row["id"] as String, row["reason"] as String)
        let told = try (row["refusals"] as String?).map { try JSON(parsing: $0).array ?? [] } ?? []
        let refusals = told.map(UploadAnswer.Refusal.init).map { RefusedRow(collection, id, $0) }
        self.init(
            number: row["number"], collection: collection, id: id, row: try JSON(parsing: row["row"] as String),
            reason: reason, time: row["time"],
            refusals: refusals.isEmpty ? [RefusedRow(collection, id, Self.refusal(by: reason))] : refusals)
    }

    /// Where the server had no words of its own for it.
    private static func refusal(by reason: String) -> UploadAnswer.Refusal {
        let detail =
            switch reason {
            case ErrorCode.deleted.rawValue: "The row was deleted on the server."
            case ErrorCode.notFound.rawValue: "The server does not have the row any more."
            case ErrorCode.parentDeleted.rawValue: "What the row was to be moved below was deleted on the server."
            case ErrorCode.readOnlyField.rawValue: "The server alone writes the field now."
            case WipeReason.membershipRevoked.rawValue: "The membership in the project has ended."
            case WipeReason.projectDeleted.rawValue: "The project was deleted."
            default: "The server did not take the edit."
            }
        return UploadAnswer.Refusal(field: nil, code: reason, detail: detail)
    }
}
