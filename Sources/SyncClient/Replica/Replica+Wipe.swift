import GRDB
import SyncProtocol

extension Replica {
    /// Removes every row of the project and voids the watermark, in one transaction; answers how many rows had unsent
    /// changes. Those are copied to `_set_aside` first. Repeating it changes nothing.
    func wipe(_ reason: WipeReason, at time: Instant) throws -> Int {
        let schema = try schema()
        return try write { db in
            let count = try Self.tables(db).reduce(0) { count, table in
                let aside = SetAside(reason: reason.rawValue, time: time.text)
                let moved = try aside.copyUnsent(db, table: table, schema: schema?[table])
                try db.execute(sql: "DELETE FROM \(SQLName.quoted(table))")
                return count + moved
            }
            try db.execute(sql: "DELETE FROM _batch; DELETE FROM _refused")
            try Self.state(db).reset(resync: true).save(db)
            return count
        }
    }

    /// Of all collections, those that the schema lost included.
    static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            .filter { !$0.hasPrefix("_") && !$0.hasPrefix("sqlite_") }
    }
}

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
