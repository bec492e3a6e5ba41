import GRDB
import SyncProtocol

/// Rows that are in no part any more and stay because of unsent edits, inside a transaction. The table `_outside` has
/// their ids.
///
/// Such a row is shown and sent like any other. It is in no digest of the server's part, so it is left out of ours. It
/// goes at the end of the first drain that contains the answers to its edits, unless a drain delivers it again.
///
/// A row with an answered batch stays until then as well, also if nothing of it is unsent: the drain that says that it
/// left may be older than the answer.
struct OutsideRows {
    let db: Database

    /// Whether there is any.
    var isEmpty: Bool {
        get throws { try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM _outside)") ?? true }
    }

    /// The ids of the collection.
    func ids(of collection: String) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT id FROM _outside WHERE collection = ?", arguments: [collection])
    }

    /// A drain has delivered the row.
    func forget(_ id: String, of collection: String) throws {
        try db.execute(sql: "DELETE FROM _outside WHERE collection = ? AND id = ?", arguments: [collection, id])
    }

    /// Removes the rows of a collection that match, and returns how many. Those that have to stay are noted.
    func leave(
        _ collection: String, where condition: String, _ arguments: StatementArguments = [:]
    ) throws -> Int {
        let table = SQLName.quoted(collection)
        try db.execute(
            sql: """
                DELETE FROM \(table) WHERE \(condition) AND _status = 'synced'
                    AND id NOT IN (SELECT id FROM _batch_row WHERE collection = :name)
                """, arguments: arguments + ["name": collection])
        let count = db.changesCount
        try note(collection, where: condition, arguments)
        return count
    }

    /// Notes the rows of a collection that match.
    func note(_ collection: String, where condition: String, _ arguments: StatementArguments = [:]) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO _outside
                SELECT :name, id FROM \(SQLName.quoted(collection)) WHERE \(condition)
                """, arguments: arguments + ["name": collection])
    }

    /// Removes the rows of which everything is sent, except those of open batches. Returns how many.
    func drop(exceptBatchesWhere open: String) throws -> Int {
        guard try !isEmpty else { return 0 }
        return try Replica.tables(db).reduce(0) { count, table in
            let isNoted = "SELECT id FROM _outside WHERE collection = :name"
            let isOpen = """
                SELECT id FROM _batch_row WHERE collection = :name AND batch IN (
                    SELECT number FROM _batch WHERE timestamp IS NULL OR \(open))
                """
            try db.execute(
                sql: """
                    DELETE FROM \(SQLName.quoted(table))
                    WHERE _status = 'synced' AND id IN (\(isNoted)) AND id NOT IN (\(isOpen))
                    """, arguments: ["name": table])
            let dropped = db.changesCount
            try db.execute(
                sql: """
                    DELETE FROM _outside
                    WHERE collection = :name AND id NOT IN (SELECT id FROM \(SQLName.quoted(table)))
                    """, arguments: ["name": table])
            return count + dropped
        }
    }

    func forgetAll() throws { try db.execute(sql: "DELETE FROM _outside") }
}
