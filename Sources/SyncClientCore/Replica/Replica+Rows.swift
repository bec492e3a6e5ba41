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

    /// How many copies there are in `setAside()`.
    public func setAsideCount() throws -> Int { try read(Self.setAsideCount) }

    static func setAsideCount(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM _set_aside") ?? 0
    }

    /// Forgets a row that was set aside. Does nothing if it was already forgotten.
    public func dismiss(_ row: SetAsideRow) throws {
        try write { try $0.execute(sql: "DELETE FROM _set_aside WHERE number = ?", arguments: [row.number]) }
    }

    func known(_ collection: String) throws -> CollectionSchema {
        guard let schema = try localSchema()?[collection] else { throw ReplicaError.unknownCollection(collection) }
        return schema
    }
}

/// A row as its table stores it, for readers outside the replica.
struct StoredRow {
    /// Columns that only the replica uses.
    static let hidden: Set = ["_drain", "_base"]

    /// An object with the fields of the wire, `_status` and `_changed`.
    let json: JSON

    init(_ row: Row, schema: CollectionSchema?) throws {
        let kinds = Dictionary(uniqueKeysWithValues: (schema?.columns ?? []).map { ($0.name, $0.kind) })
        var members: [String: JSON] = [:]
        for (name, value) in row where !Self.hidden.contains(name) {
            members[name] = try SQLValue.decode(value, as: kinds[name])
        }
        json = .object(members)
    }
}

/// A copy of a row, taken when it had an edit that is not on the server and will not get there.
public struct SetAsideRow: Sendable, Equatable {
    /// Rises with every row that is set aside.
    public let number: Int64
    /// The row's collection.
    public let collection: String
    /// The row's id.
    public let id: String
    /// All columns, `_status` and `_changed` included.
    public let row: JSON
    /// The reason: an error code of the sync protocol, a `WipeReason`, or `collection_removed`.
    public let reason: String
    /// The time at which it was set aside, in UTC, as `2026-11-30T12:00:00.000Z`.
    public let time: String
    /// The reasons field by field, in the server's words; at least one.
    public let refusals: [RefusedRow]
}

extension SetAsideRow {
    init(_ row: Row) throws {
        let collection = row["collection"] as String
        let id = row["id"] as String
        let reason = row["reason"] as String
        let told = try (row["refusals"] as String?).map { try JSON(parsing: $0).array ?? [] } ?? []
        let refusals = told.map(UploadAnswer.Refusal.init).map { RefusedRow(collection, id: id, refusal: $0) }
        self.init(
            number: row["number"], collection: collection, id: id, row: try JSON(parsing: row["row"] as String),
            reason: reason, time: row["time"],
            refusals: refusals.isEmpty ? [RefusedRow(collection, id: id, refusal: Self.refusal(by: reason))] : refusals)
    }

    /// The reason when the server gave no details.
    private static func refusal(by reason: String) -> UploadAnswer.Refusal {
        let detail =
            switch reason {
            case ErrorCode.deleted.rawValue: "The row was deleted on the server."
            case ErrorCode.notFound.rawValue: "The server no longer has the row."
            case ErrorCode.parentDeleted.rawValue: "A row that it belongs to was deleted on the server."
            case ErrorCode.unknownField.rawValue: "The server does not have the field."
            case ErrorCode.readOnlyField.rawValue: "Only the server may write the field now."
            case SetAside.collectionRemoved: "The server no longer has the collection."
            case WipeReason.membershipRevoked.rawValue: "You are no longer a member of the project."
            case WipeReason.projectDeleted.rawValue: "The project was deleted."
            default: "The server did not accept the edit."
            }
        return UploadAnswer.Refusal(field: nil, code: reason, detail: detail)
    }
}

/// Keeps copies, in the table `_set_aside`, of rows with edits that can no longer be sent.
struct SetAside {
    /// The server has removed the row's collection.
    static let collectionRemoved = "collection_removed"

    let reason: String
    let time: String
    /// The server's reasons, if it gave any besides `reason`.
    var refusals: [UploadAnswer.Refusal] = []

    /// Copies all rows of the table that have unsent edits and fulfil the condition. Returns how many.
    func copyUnsent(
        _ db: Database, table: String, schema: CollectionSchema?, where condition: String = "TRUE"
    ) throws -> Int {
        let rows = try Row.fetchAll(
            db, sql: "SELECT * FROM \(SQLName.quoted(table)) WHERE _status <> 'synced' AND \(condition)")
        for row in rows { try copy(db, row, table: table, schema: schema) }
        return rows.count
    }

    /// Copies the row as it is now. Does nothing if there is none.
    func copy(_ db: Database, _ id: String, of collection: CollectionSchema) throws {
        let row = try Row.fetchOne(
            db, sql: "SELECT * FROM \(SQLName.quoted(collection.name)) WHERE id = ?", arguments: [id])
        if let row { try copy(db, row, table: collection.name, schema: collection) }
    }

    private func copy(_ db: Database, _ row: Row, table: String, schema: CollectionSchema?) throws {
        try db.execute(
            sql: "INSERT INTO _set_aside (collection, id, row, reason, time, refusals) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                table, row["id"] as String, try StoredRow(row, schema: schema).json.text, reason, time,
                refusals.isEmpty ? nil : JSON.array(refusals.map(\.json)).text,
            ])
    }
}
