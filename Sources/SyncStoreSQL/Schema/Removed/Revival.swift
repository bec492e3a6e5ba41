import SyncProtocol
import SyncSchema
import SyncStore

/// A removed collection that comes back with its rows. Clients missed what happened to the rows, so each is delivered
/// again, and the data derived from them is computed again.
struct Revival<Transaction: SQLTransaction> {
    private let collection: Collection
    private let transaction: Transaction
    private var table: String { "\"\(collection.name)\"" }

    init(_ collection: Collection, _ transaction: Transaction) {
        self.collection = collection
        self.transaction = transaction
    }

    /// Does not set checksums; the migration does that later.
    func run() throws {
        let sql = "SELECT DISTINCT project_id FROM \(table) WHERE is_deleted = 0"
        for id in try transaction.all(sql, [], { $0.string(0) }) {
            guard let project = try transaction.project(id) else { continue }
            let seq = try transaction.drawSeq(of: project, shortIDs: 0)
            try transaction.number(NumberedCommit(project: id, seq: seq, at: WallClock.system.now()))
            if project.isDeleted {
                _ = try transaction.tombstoneAll(collection, project: id, at: seq)
            } else {
                try transaction.run(
                    "UPDATE \(table) SET sync_seq = ?2 WHERE project_id = ?1 AND is_deleted = 0",
                    [.string(id), .int(seq.rawValue)])
            }
        }
        try transaction.run(
            """
            INSERT INTO tidemark_row_counts (project_id, collection, live, tombstones)
            SELECT project_id, '\(collection.name)', SUM(1 - is_deleted), SUM(is_deleted)
            FROM \(table) GROUP BY project_id
            """, [])
        try transaction.addDigests(of: collection)
    }
}
