import GRDB
import GRDBSQLite
@testable import SyncStoreSQLite
import Testing

/// Statements of parts, whose texts clients invent.
@Suite struct PartStatementsTests {
    private func prepared(_ db: Database) -> Int {
        var (count, statement) = (0, sqlite3_next_stmt(db.sqliteConnection, nil))
        while statement != nil {
            count += 1
            statement = sqlite3_next_stmt(db.sqliteConnection, statement)
        }
        return count
    }

    @Test func aTextIsPreparedOnceAndOfManySomeAreKept() throws {
        let kept = PartStatements()
        try DatabaseQueue().write { db in
            let first = try kept.statement("SELECT 0", on: db)
            #expect(try kept.statement("SELECT 0", on: db) === first)
            var most = 0
            for number in 0..<2000 {
                _ = try kept.statement("SELECT \(number)", on: db)
                most = max(most, prepared(db))
            }
            #expect((200..<300).contains(most), "\(most) statements at once")
        }
    }

    @Test func connectionsKeepTheirOwn() throws {
        let kept = PartStatements()
        let (one, other) = (try DatabaseQueue(), try DatabaseQueue())
        let value = try one.write { try Int.fetchOne(kept.statement("SELECT 1", on: $0)) }
        let otherValue = try other.write { try Int.fetchOne(kept.statement("SELECT 1", on: $0)) }
        #expect(value == 1 && otherValue == 1)
    }
}
