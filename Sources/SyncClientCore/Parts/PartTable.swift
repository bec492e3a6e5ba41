import GRDB
import SyncProtocol

/// A part as it is stored.
struct StoredPart: Sendable, Equatable {
    let name: String
    var filter: PartFilter
    let keepHours: Int
    /// Until when it is asked for, if it was removed.
    var until: Instant?
}

/// The table `_part`, inside a transaction.
struct PartTable {
    let db: Database

    /// All parts, by name.
    func all() throws -> [StoredPart] {
        try Row.fetchAll(db, sql: "SELECT * FROM _part ORDER BY name").map { row in
            StoredPart(
                name: row["name"], filter: PartFilter(stored: row["filter"]), keepHours: row["keep_hours"],
                until: (row["until"] as Int64?).map { Instant(milliseconds: $0) })
        }
    }

    func save(_ part: StoredPart) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO _part (name, filter, keep_hours, until) VALUES (?, ?, ?, ?)",
            arguments: [part.name, part.filter.text, part.keepHours, part.until?.milliseconds])
    }

    func forget(_ name: String) throws { try db.execute(sql: "DELETE FROM _part WHERE name = ?", arguments: [name]) }

    func forgetExpired(at now: Instant) throws {
        try db.execute(sql: "DELETE FROM _part WHERE until <= ?", arguments: [now.milliseconds])
    }

    /// The filter of all parts together. Throws `PartError`.
    func union() throws -> PartFilter { try .union(of: all().map(\.filter)) }

    /// Forgets removed parts, the oldest first, as long as all parts together are too large. Throws `PartError` if the
    /// others alone are.
    func makeRoom() throws {
        while true {
            do {
                _ = try union()
                return
            } catch let error as PartError {
                let sql = "SELECT name FROM _part WHERE until IS NOT NULL ORDER BY until LIMIT 1"
                guard let oldest = try String.fetchOne(db, sql: sql) else { throw error }
                try forget(oldest)
            }
        }
    }
}
