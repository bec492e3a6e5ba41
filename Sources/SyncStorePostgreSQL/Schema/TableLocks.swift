import Foundation
import SyncProtocol

/// Takes the tables from readers before they are changed, all at once or none.
///
/// A reader that reads one table while it waits for another would end in a deadlock with the change, and the server
/// breaks those by failing the reader. So the locks are given back before the server looks for deadlocks, which is
/// after a second: https://www.postgresql.org/docs/15/runtime-config-locks.html
enum TableLocks {
    private static let patience = "300ms"
    /// More than a stream lasts.
    private static let mostTries = 300
    /// In seconds. Nobody else uses the thread that opens a store.
    private static let longestPause = 0.2

    /// Who waits for the first table must not hold a later one. Nearly every read begins with the projects. For the
    /// others, each try begins with another table.
    private static func order(_ tables: [String], _ attempt: Int) -> [String] {
        let first = attempt % tables.count
        return ["tidemark_projects"] + tables[first...] + tables[..<first]
    }

    /// Throws a `DatabaseError` if readers don't leave the tables.
    static func take(_ tables: [String], _ session: Session) throws {
        guard !tables.isEmpty else { return }
        for attempt in 1... {
            let list = order(tables.sorted(), attempt).map { "\"\($0)\"" }.joined(separator: ", ")
            do {
                try session.execute("SAVEPOINT locks")
                try session.execute("SET LOCAL lock_timeout = '\(patience)'")
                try session.execute("LOCK TABLE \(list) IN ACCESS EXCLUSIVE MODE")
                try session.execute("SET LOCAL lock_timeout = '120s'")
                try session.execute("RELEASE SAVEPOINT locks")
                return try session.fly()
            } catch let error as DatabaseError where error.state == "55P03" && attempt < mostTries {
                try session.undo(to: "locks")
                Thread.sleep(forTimeInterval: .random(in: 0...longestPause))
            }
        }
    }
}
