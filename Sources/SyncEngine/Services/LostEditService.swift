package import SyncAccounts
package import SyncProtocol
package import SyncStore

/// The edits that all users lost, for superusers: whose, where and why, but never the values.
package struct LostEditService<Store: SyncStore>: Sendable {
    private let store: Store
    private let clock: WallClock
    /// How long an entry is kept.
    private let retention: Duration

    package init(store: Store, clock: WallClock, retention: Duration) {
        self.store = store
        self.clock = clock
        self.retention = retention
    }

    /// The selected edits, newest first, as far as they are not too old. `next` is the `before` of the next page; nil
    /// on the last. Throws `forbidden` unless the caller is a superuser.
    package func list(
        _ selection: LostEditSelection, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: Int64?) {
        try caller.requireSuperuser("Reading the lost edits of others")
        var selection = selection
        selection.since = max(selection.since, clock.now().advanced(by: .zero - retention))
        return try await store.read(.installation) { [selection] transaction in
            let notes = try transaction.lostEdits(selection, limit: limit + 1)
            let page = notes.prefix(limit)
            let names = try transaction.usernames(of: page.map(\.user))
            return (page.map { $0.json(names) }, notes.count > limit ? page.last?.id : nil)
        }
    }
}

extension LostEditNote {
    /// `names` has the names of the authors.
    fileprivate func json(_ names: [Int64: JSON]) -> JSON {
        [
            "id": .string(InboxSelection.entry(id).text), "at": .string(at.text),
            "project_id": project.isEmpty ? .null : .string(project),
            "user_id": .int(user), "username": names[user] ?? .null, "collection": .string(key.collection),
            "row_id": .string(key.id), "field": field.map(JSON.string) ?? .null, "code": .string(code.rawValue),
            "client_batch_id": batchID.map(JSON.string) ?? .null,
        ]
    }
}
