import GRDB
import SyncProtocol

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
