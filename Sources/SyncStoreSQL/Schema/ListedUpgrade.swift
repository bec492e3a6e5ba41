import SyncProtocol
import SyncSchema
import SyncStore

/// Makes rows that only their owners saw those of a collection with lists: its `own` has gained a role. The owners are
/// the users listed for them, and former owners were. All live rows are delivered again by the same migration, so that
/// members with the role get them.
///
/// Since when an owner has a row is not known here, so its history begins with the last commit that delivered it.
struct ListedUpgrade<Transaction: SQLTransaction> {
    private let collection: Collection
    private let owner: String
    private let transaction: Transaction

    /// Nil unless the change is of this kind.
    init?(_ change: CollectionChange, _ transaction: Transaction) {
        guard change.gainsRole, case .listed(let fields, _) = change.new.visibility, let owner = fields.first else {
            return nil
        }
        collection = change.new
        self.owner = owner
        self.transaction = transaction
    }

    func run() throws {
        let name = collection.name
        try transaction.run(
            """
            INSERT INTO tidemark_listed (collection, row_id, user_id, project_id, came_seq, gone_seq, sync_seq)
            SELECT '\(name)', id, "\(owner)", project_id,
              CASE WHEN is_deleted = 1 THEN created_seq ELSE sync_seq END, NULL, sync_seq
            FROM "\(name)" WHERE "\(owner)" IS NOT NULL
            """, [])
        try transaction.run(
            """
            INSERT INTO tidemark_listed (collection, row_id, user_id, project_id, came_seq, gone_seq, sync_seq)
            SELECT '\(name)', f.row_id, f.user_id, f.project_id, t.created_seq, f.sync_seq, f.sync_seq
            FROM tidemark_former_owners f JOIN "\(name)" t ON t.id = f.row_id
            WHERE f.collection = '\(name)' ON CONFLICT DO NOTHING
            """, [])
        for table in ["tidemark_former_owners", "tidemark_digests"] {
            try transaction.run("DELETE FROM \(table) WHERE collection = ?1", [.string(name)])
        }
        try transaction.addDigests(of: collection)
    }
}
