package import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// The edits that users lost in a project.
package struct InboxService<Store: SyncStore>: Sendable {
    /// The size at which a page ends, in bytes. Its last entry may exceed it.
    private static var pageBytes: Int { 4 << 20 }

    private let store: Store
    private let registry: Registry
    private let clock: WallClock
    /// How long an entry is kept.
    private let retention: Duration

    package init(store: Store, registry: Registry, clock: WallClock, retention: Duration) {
        self.store = store
        self.registry = registry
        self.clock = clock
        self.retention = retention
    }

    /// The caller's own entries after the entry `after`, oldest first. `next` is the id of the
    /// last entry if more follow, otherwise nil. An entry's `kept`, the value that the project
    /// has instead, is null if the caller can't see the row.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`.
    package func list(
        of project: String, after: Int64, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: Int64?) {
        let oldest = clock.now().advanced(by: .zero - retention)
        return try await store.read(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            let entries = try transaction.inbox(
                of: caller.userID, project: project, since: oldest, after: after, limit: limit,
                bytes: InboxService.pageBytes)
            let results = try entries.elements.map { entry in
                entry.json(showsKept: try isVisible(entry.edit.key, to: access, in: transaction))
            }
            return (results, entries.isCut ? entries.elements.last?.id : nil)
        }
    }

    /// The caller's own entries of all projects, with their `project_id`. Those of lost projects stay readable, without
    /// `kept`.
    package func listAll(
        after: Int64, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: Int64?) {
        let oldest = clock.now().advanced(by: .zero - retention)
        return try await store.read(.installation) { transaction in
            let entries = try transaction.inbox(
                of: caller.userID, project: nil, since: oldest, after: after, limit: limit,
                bytes: InboxService.pageBytes)
            let results = try entries.elements.map { entry in
                let access = try ProjectAccess.ifVisible(caller, project: entry.project, in: transaction)
                let showsKept = try access.map { try isVisible(entry.edit.key, to: $0, in: transaction) } ?? false
                return entry.json(showsKept: showsKept).setting(
                    "project_id", to: entry.project.isEmpty ? .null : .string(entry.project))
            }
            return (results, entries.isCut ? entries.elements.last?.id : nil)
        }
    }

    /// Removes entries of any project from the caller's inbox. Throws `read_only_token`, and `not_found` if there is no
    /// such entry.
    package func dismissAll(_ selection: InboxSelection, by caller: Caller) async throws {
        try await store.write(.installation) { transaction in
            try caller.requireWrite()
            try InboxService.requireFound(try transaction.dismiss(selection, of: caller.userID, project: nil))
        }
    }

    private static func requireFound(_ isFound: Bool) throws {
        guard isFound else { throw Problem(.notFound, "There is no such entry in your inbox.") }
    }

    /// Removes entries from the caller's inbox.
    ///
    /// Throws what `list` throws, `read_only_token`, and `not_found` if there is no such entry.
    package func dismiss(_ selection: InboxSelection, of project: String, by caller: Caller) async throws {
        try await store.write(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            try access.caller.requireWrite()
            try InboxService.requireFound(try transaction.dismiss(selection, of: caller.userID, project: project))
        }
    }

    private func isVisible(_ key: RowKey, to access: ProjectAccess, in transaction: any ReadTransaction) throws -> Bool
    {
        guard let collection = registry[key.collection], let record = try transaction.record(key) else { return false }
        return try !record.isDeleted && access.finds(record, in: collection, registry, from: transaction)
    }
}

extension InboxEntry {
    fileprivate func json(showsKept: Bool) -> JSON {
        [
            "entry": .string(InboxSelection.entry(id).text), "id": .string(edit.key.id),
            "collection": .string(edit.key.collection), "field": edit.field.map(JSON.string) ?? .null,
            "code": .string(edit.code.rawValue), "sent": edit.sent, "kept": showsKept ? edit.kept : .null,
            "cut": .bool(edit.isCut),
            "at": .string(at.text), "client_batch_id": edit.batchID.map(JSON.string) ?? .null,
        ]
    }
}

extension InboxSelection {
    /// Reads `_7` as an entry and a row's id as a row; nil for anything else. No row's id begins with `_`.
    package init?(_ text: String) {
        if text.hasPrefix("_"), let number = Int64(text.dropFirst()) {
            self = .entry(number)
        } else if RowID.isValid(text) {
            self = .row(text)
        } else {
            return nil
        }
    }

    package var text: String {
        switch self {
        case .entry(let number): "_\(number)"
        case .row(let id): id
        }
    }
}
