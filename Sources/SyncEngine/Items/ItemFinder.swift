import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Finds single rows for callers.
struct ItemFinder {
    let caller: Caller
    let registry: Registry
    let transaction: any ReadTransaction

    /// The live row, and what the caller may do in its project.
    ///
    /// Throws `not_found` for everything that the caller may not see, with the same message as for a row that never
    /// existed. For a project itself, it throws what `ProjectAccess` throws, which says more.
    func find(_ key: RowKey) throws -> (record: StoredRow, access: ProjectAccess) {
        let collection = registry.collection(key.collection)
        if collection.scope == .project {
            let access = try ProjectAccess(caller, project: key.id, in: transaction)
            guard let record = try transaction.record(key) else { throw missing }
            return (record, access)
        }
        guard RowID.isValid(key.id) else { throw missing }
        let record = try transaction.record(key)
        // The same is read for a row that never was as for one that is hidden, so the time tells nothing either.
        let access = try access(to: record?.project ?? key.id)
        guard let record, !record.isDeleted, let access, access.sees(record, in: collection, registry) else {
            throw missing
        }
        return (record, access)
    }

    private func access(to project: String) throws -> ProjectAccess? {
        try ProjectAccess.ifVisible(caller, project: project, in: transaction)
    }

    private var missing: Problem { Problem(.notFound, "There is no row with this id.") }
}
