import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Puts rows that only their owners saw, and that a cascade of somebody else's delete took along, into the owners'
    /// inboxes. The author could not know of them, and the tombstone that their owners get does not have the values.
    ///
    /// The delete of a whole project writes nothing: it is told to every member by `project_deleted`.
    func tellOwners(of rows: [Entry], _ collection: Collection) throws {
        guard access != nil, !isProjectDeleted else { return }
        switch collection.visibility {
        case .everyone, .gate, .inherited: return
        case .own: break
        }
        let taken = rows.compactMap { row -> LostEdit? in
            guard row.becameDeleted, let original = row.original,
                case .user(let owner)? = collection.audience(of: original), owner != author
            else { return nil }
            var sent = original.json(in: collection).object ?? [:]
            sent["server_version"] = nil
            return LostEdit(
                userID: owner, key: RowKey(collection.name, original.id), field: nil, code: .parentDeleted,
                sent: .object(sent), kept: .null, batchID: nil)
        }
        if !taken.isEmpty { try transaction.addToInbox(taken, project: project, at: now) }
    }
}
