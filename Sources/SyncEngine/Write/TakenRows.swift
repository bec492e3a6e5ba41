import SyncProtocol
import SyncSchema
import SyncStore

/// Rows that only their owners saw, and that a cascade of somebody else's delete took along.
struct TakenRows {
    private let transaction: any WriteTransaction
    private let project: String
    private let author: Int64
    private let now: Instant
    private let isTold: Bool

    init(of draft: Draft) {
        transaction = draft.transaction
        project = draft.project
        author = draft.author
        now = draft.now
        isTold = draft.access != nil && !draft.isProjectDeleted
    }

    /// Puts such rows into their owners' inboxes. The author could not know of them, and the tombstone that their
    /// owners get does not have the values.
    ///
    /// The delete of a whole project writes nothing: it is told to every member by `project_deleted`. The server's own
    /// writes tell nobody.
    func tellOwners(of rows: [Draft.Entry], _ collection: Collection) throws {
        guard isTold else { return }
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
