import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    private var projectEntry: Entry? { entries[RowKey(registry.projects.name, project)] }

    var isProjectNew: Bool { projectEntry?.isNew ?? false }

    var isProjectDeleted: Bool { projectEntry?.becameDeleted ?? false }

    /// Deletes the project, its memberships and the rows of the draft. The project's other rows follow at the commit,
    /// in the store.
    func deleteProject() throws {
        try markDeleted(RowKey(registry.projects.name, project))
        let memberships = registry.memberships
        for row in try liveRecords(in: memberships) { try markDeleted(RowKey(memberships.name, row.id)) }
        for key in entries.keys { try markDeleted(key) }
    }
}
