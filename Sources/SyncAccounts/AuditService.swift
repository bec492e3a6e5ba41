package import SyncProtocol
package import SyncStore

/// The list of what was done to accounts, memberships, projects and the installation: who, what, when, from where.
package struct AuditService<Store: SyncStore>: Sendable {
    /// How long an entry is kept.
    package static var retention: Duration { .seconds(365 * 86_400) }

    let store: Store
    let clock: WallClock

    package init(store: Store, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// The selected entries of the last year, newest first. `next` is the `before` of the next page; nil on the last.
    /// Throws `forbidden` unless the caller is a superuser.
    package func list(
        _ selection: AuditSelection, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: Int64?) {
        try caller.requireSuperuser("Reading the audit list")
        var selection = selection
        selection.since = max(selection.since, clock.now().advanced(by: .zero - Self.retention))
        return try await store.read(.installation) { [selection] transaction in
            let entries = try transaction.audit(selection, limit: limit + 1)
            let page = entries.prefix(limit)
            let names = try transaction.usernames(of: page.compactMap(\.content.subject))
            return (page.map { $0.json(names) }, entries.count > limit ? page.last?.id : nil)
        }
    }
}

extension StoredAuditEntry {
    /// `names` has the names of the accounts that entries are about.
    fileprivate func json(_ names: [Int64: JSON]) -> JSON {
        let actor = content.actor
        return [
            "id": .int(id), "at": .string(content.at.text), "action": .string(content.action),
            "actor": [
                "user_id": actor.userID.map(JSON.int) ?? .null, "name": .string(actor.name.rawValue),
                "credential": .string(actor.credential.rawValue),
                "address": actor.address.map(JSON.string) ?? .null,
            ],
            "user_id": content.subject.map(JSON.int) ?? .null,
            "username": content.subject.flatMap { names[$0] } ?? .null,
            "project_id": content.project.map(JSON.string) ?? .null, "details": .object(content.details),
        ]
    }
}

/// What is done to the installation as a whole, such as a backup.
extension AuditService {
    /// Adds an entry about the installation, also on a full disk: what was done is done.
    package func note(
        _ action: AuditAction, _ details: [String: JSON] = [:], by actor: Actor = .thisProcess
    ) async throws {
        let entry = AuditEntry(action, by: actor, details: details, at: clock.now())
        try await store.write(.installation, priority: .vital) { try $0.audit(entry) }
    }
}
