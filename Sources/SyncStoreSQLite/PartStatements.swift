import GRDB
import Synchronization

/// Prepared statements of scans of parts. To prepare one takes longer than to run it.
///
/// A client invents their texts: the fields, and how many alternatives. So each connection keeps only some, and begins
/// again when there are more.
final class PartStatements: Sendable {
    private static let mostTexts = 256
    /// The hashes of the texts that were prepared, by connection.
    private let texts = Mutex<[ObjectIdentifier: Set<Int>]>([:])

    /// The statement of this text, which may be a kept one.
    func statement(_ sql: String, on db: Database) throws -> Statement {
        let isFull = texts.withLock { texts in
            var known = texts[ObjectIdentifier(db)] ?? []
            let isFull = !known.contains(sql.hashValue) && known.count == PartStatements.mostTexts
            if isFull { known = [] }
            known.insert(sql.hashValue)
            texts[ObjectIdentifier(db)] = known
            return isFull
        }
        // GRDB forgets all of its statements or none.
        if isFull { db.clearSchemaCache() }
        return try db.cachedStatement(sql: sql)
    }
}
