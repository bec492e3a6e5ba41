import SyncProtocol

/// Where authors find the edits that they lost, in the write transaction that loses them.
struct Inbox {
    let transaction: any WriteTransaction
    let project: String
    let now: Timestamp
    /// How long an entry is kept.
    let retention: Duration

    /// Adds entries, and forgets some that are too old.
    func add(_ edits: [LostEdit]) throws {
        try transaction.forgetInbox(before: now.advanced(by: .zero - retention))
        if !edits.isEmpty { try transaction.addToInbox(edits, project: project, at: now) }
    }
}
