import GRDB
import SyncProtocol

/// Keeps what a person wrote and nobody can take any more.
struct SetAside {
    let reason: String
    let time: String
    /// What the server said, where it said more than the reason.
    var refusals: [UploadAnswer.Refusal] = []

    func copyUnsent(_ db: Database, table: String, schema: CollectionSchema?) throws -> Int {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(SQLName.quoted(table)) WHERE _status <> 'synced'")
        for row in rows { try copy(db, row, table: table, schema: schema) }
        return rows.count
    }

    /// The row as it is now; nothing where there is none.
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
