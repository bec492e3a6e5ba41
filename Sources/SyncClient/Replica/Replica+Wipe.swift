import GRDB
import SyncProtocol

extension Replica {
    /// Removes every row of a replica of one project and voids the watermark, in one transaction. Rows with unsent
    /// edits are copied to `_set_aside` first; returns how many. Repeating the call changes nothing.
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

    /// The tables of all collections, including those that the schema no longer has.
    static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            .filter { !$0.hasPrefix("_") && !$0.hasPrefix("sqlite_") }
    }
}
