import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    var isProjectDeleted: Bool {
        entries[RowKey(registry.projects.name, project)]?.becameDeleted ?? false
    }

    /// Deletes the project, its memberships and the rows of the draft. The project's other rows follow at the commit,
    /// in the store.
    func deleteProject() throws {
        try markDeleted(RowKey(registry.projects.name, project))
        let memberships = registry.memberships
        for row in try liveRecords(in: memberships) { try markDeleted(RowKey(memberships.name, row.id)) }
        for key in entries.keys { try markDeleted(key) }
    }

    /// Turns all rows that are still live into tombstones of this commit. This happens in the
    /// store, because a project can be too large for a draft.
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
