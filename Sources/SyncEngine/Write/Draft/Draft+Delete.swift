import SyncProtocol
import SyncSchema
package import SyncStore

extension Draft {
    /// Deletes a live row and everything that its schema cascades to; rows that stay and refer to a deleted one through
    /// a `clear` reference are updated.
    ///
    /// Throws `in_use` where a row that stays refers to one that would go through a `restrict` reference.
    package func delete(_ root: RowKey) throws { try delete([root]) }

    /// Deletes live rows as one: which of them is named first makes no difference.
    package func delete(_ roots: [RowKey]) throws {
        let problems = try drop(roots)
        guard let first = roots.lazy.compactMap({ problems[$0] }).first else { return }
        throw Problem(first.code, first.detail)
    }

    /// Deletes live rows as one. Returns those that may not go, with the reason; as long as there are any, nothing of
    /// the draft may be written.
    func drop(_ roots: [RowKey]) throws -> [RowKey: FieldProblem] {
        guard !roots.isEmpty else { return [:] }
        var cascade = Cascade(self)
        for root in roots {
            guard let row = try liveRecord(root) else { continue }
            guard registry[root.collection]!.scope != .project else {
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
