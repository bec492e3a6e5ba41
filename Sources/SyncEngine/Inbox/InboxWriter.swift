import SyncProtocol
import SyncStore

/// Puts the lost edits of one batch into their authors' inboxes, which stay bounded.
struct InboxWriter {
    let transaction: any WriteTransaction
    let now: Instant
    /// The most bytes that an inbox may have for each project. The newest entries stay.
    let bytes: Int
    /// Into how many projects the batch writes.
    var projects = 1

    /// The project of rows that belong to none that the author is or was a member of.
    static let noProject = ""

    func add(_ edits: [LostEdit], project: String) throws {
        guard !edits.isEmpty else { return }
        let entries = edits.bounded(to: [LostEdit].mostOfBatch / max(1, projects))
        try transaction.addToInbox(entries, project: project, at: now)
        for user in Set(entries.map(\.userID)).sorted() {
            try transaction.trimInbox(of: user, project: project, to: bytes)
        }
    }
}
