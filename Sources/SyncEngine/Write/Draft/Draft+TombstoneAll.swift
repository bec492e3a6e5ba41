import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    var isProjectDeleted: Bool {
        entries[RowKey(registry.projects.name, project)]?.becameDeleted ?? false
    }

    /// Deletes the project and its memberships; everything else of it follows at the commit, in the store.
    func deleteProject() throws {
        try markDeleted(RowKey(registry.projects.name, project))
        let memberships = registry.memberships
        for row in try liveRecords(in: memberships) { try markDeleted(RowKey(memberships.name, row.id)) }
    }

    /// Makes all rows that are still live tombstones of this commit. In the store, because a project can be larger than
    /// what a draft should hold.
    func tombstoneAll(at seq: SyncSeq) throws {
        for collection in registry.collections where collection.scope != .project {
            let count = try transaction.tombstoneAll(collection, project: project, at: seq)
            guard count > 0 else { continue }
            let change = RowCounts(live: -count, tombstones: count)
            try transaction.addCounts(project: project, collection: collection.name, change)
        }
        try transaction.dropDigests(project: project)
    }
}
