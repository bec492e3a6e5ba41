import SyncProtocol
import SyncSchema
package import SyncStore

extension Draft {
    /// Deletes a live row and everything that its schema cascades to. Rows that stay are updated if they refer to a
    /// deleted row through a `clear` reference.
    ///
    /// Throws `in_use` if a row that stays refers through a `restrict` reference to a row that would be deleted.
    package func delete(_ root: RowKey) throws { try delete([root]) }

    /// Deletes live rows as one delete: their order makes no difference.
    package func delete(_ roots: [RowKey]) throws {
        let problems = try drop(roots)
        guard let first = roots.lazy.compactMap({ problems[$0] }).first else { return }
        throw Problem(first.code, first.detail)
    }

    /// Deletes live rows as one delete. Returns the rows that may not be deleted, each with the reason. Unless the
    /// result is empty, nothing of the draft may be written.
    func drop(_ roots: [RowKey]) throws -> [RowKey: Violation] {
        guard !roots.isEmpty else { return [:] }
        var cascade = Cascade(self)
        for root in roots {
            guard let row = try liveRecord(root) else { continue }
            guard registry.collection(root.collection).scope != .project else {
                try deleteProject()
                return [:]
            }
            try cascade.deleteRoot(root, row)
        }
        try cascade.spread()
        try cascade.clearReferences()
        return try cascade.restrictedRoots()
    }
}
