import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// A removed collection that comes back with its rows. Clients missed what happened to the rows, so each is delivered
/// again, and the data derived from them is computed again.
struct Revival {
    private let collection: Collection
    private let registry: Registry
    private let db: Database
    private var table: String { "\"\(collection.name)\"" }

    init(_ collection: Collection, _ registry: Registry, _ db: Database) {
        self.collection = collection
        self.registry = registry
        self.db = db
    }

    /// Does not set checksums; the migration does that later.
    func run() throws {
        let transaction = SQLiteTransaction(db, CollectionTables(registry, SQLiteDialect()))
        for id in try String.fetchAll(db, sql: "SELECT DISTINCT project_id FROM \(table) WHERE is_deleted = 0") {
            guard let project = try transaction.project(id) else { continue }
            let seq = try transaction.drawSeq(of: project, shortIDs: 0)
            try transaction.number(NumberedCommit(project: id, seq: seq, at: WallClock.system.now()))
            if project.isDeleted {
                _ = try transaction.tombstoneAll(collection, project: id, at: seq)
            } else {
                try db.execute(
                    sql: "UPDATE \(table) SET sync_seq = ?2 WHERE project_id = ?1 AND is_deleted = 0",
                    arguments: [id, seq.rawValue])
            }
        }
        try count()
        try DigestRebuild(registry: registry).run(db, of: collection)
    }

    private func count() throws {
        try db.execute(
            sql: """
                INSERT INTO tidemark_row_counts (project_id, collection, live, tombstones)
                SELECT project_id, '\(collection.name)', SUM(1 - is_deleted), SUM(is_deleted)
                FROM \(table) GROUP BY project_id
                """)
    }
}
