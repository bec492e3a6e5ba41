import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Keeps the collection's digests equal to its live rows, by comparing the old and new state of `rows`. Takes one
    /// look-up for each audience that the write touched, and none if rows were only stamped.
    func digest(_ rows: [Entry], _ collection: Collection) throws {
        var changes: [Audience: CollectionDigest] = [:]
        for row in rows {
            if let original = row.original, !original.isDeleted, let audience = collection.audience(of: original) {
                changes[audience, default: .empty].remove(original.id, original.version)
            }
            if !row.current.isDeleted, let audience = collection.audience(of: row.current) {
                changes[audience, default: .empty].insert(row.current.id, row.current.version)
            }
        }
        for (audience, change) in changes where change != .empty {
            try transaction.addDigest(project: project, collection: collection.name, of: audience, change)
        }
    }
}
