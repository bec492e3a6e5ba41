import SyncProtocol
import SyncSchema
import SyncStore

/// Which fields of a collection name files, as `tidemark_file_names` records it. While a field or a collection is
/// removed, or before it got the format `blob`, nothing is recorded.
struct FileNames<Transaction: SQLTransaction> {
    private let collection: Collection
    private let transaction: Transaction

    init(of collection: Collection, _ transaction: Transaction) {
        self.collection = collection
        self.transaction = transaction
    }

    /// Brings the records in line with the rows. Who made a row counts as having named its files: nobody knows who did.
    func align() throws {
        let now = WallClock.system.now()
        for field in collection.fields where field.blob != nil {
            let place: [JSON] = [.string(collection.name), .string(field.name)]
            let row = "FROM \"\(collection.name)\" t WHERE t.is_deleted = 0 AND length(t.\"\(field.name)\") = 64"
            try transaction.run(
                """
                DELETE FROM tidemark_file_names WHERE collection = ?1 AND field = ?2 AND NOT EXISTS (
                  SELECT 1 \(row) AND t.id = row_id AND t."\(field.name)" = digest)
                """, place)
            try transaction.run(
                """
                INSERT INTO tidemark_file_names (project_id, digest, collection, row_id, field, set_by, is_stored)
                SELECT t.project_id, t."\(field.name)", ?1, t.id, ?2, COALESCE(t.inserted_by, 0), 0 \(row)
                ON CONFLICT DO NOTHING
                """, place)
        }
        guard collection.fields.contains(where: { $0.blob != nil }) else { return }
        try transaction.run(
            """
            UPDATE tidemark_files SET unnamed_at = CASE WHEN EXISTS (
              SELECT 1 FROM tidemark_file_names n WHERE n.project_id = tidemark_files.project_id
              AND n.digest = tidemark_files.digest
            ) THEN NULL ELSE COALESCE(unnamed_at, ?1) END
            """, [.int(now.milliseconds)])
    }
}
