package import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Reads the history of single rows: who changed what, when, and from which device.
package struct HistoryService<Store: SyncStore>: Sendable {
    private let store: Store
    private let registry: Registry
    private let clock: WallClock
    /// How long changes are kept.
    private let retention: Duration
    private let ledger: DeviceLedger

    /// Devices get their names from the ledger.
    package init(store: Store, registry: Registry, clock: WallClock, retention: Duration, ledger: DeviceLedger) {
        (self.store, self.registry, self.clock) = (store, registry, clock)
        (self.retention, self.ledger) = (retention, ledger)
    }

    /// One page of a row's history, newest first, as `HistoryList` shows it to the caller. `version` is the `next` of
    /// the page before. The entries, their order and `isComplete` don't depend on the pages.
    ///
    /// Throws `not_found`; for a project, what `ProjectAccess` throws.
    package func page(
        of id: String, in collection: Collection, before version: ServerVersion?, limit: Int, for caller: Caller
    ) async throws -> HistoryPage {
        let (key, now) = (RowKey(collection.name, id), clock.now())
        return try await store.read(.row(key)) { transaction in
            let finder = ItemFinder(caller: caller, registry: registry, transaction: transaction)
            let (row, access) = try finder.find(key)
            let oldest = now.advanced(by: .zero - retention)
            let list = try HistoryList(of: row, in: collection, from: oldest, access, registry, transaction)
            let page = list.page(before: version ?? ServerVersion(.max), limit: limit)
            var authors = HistoryAuthors(transaction, DeviceList(transaction, ledger, now: now), for: access)
            return HistoryPage(
                results: try page.entries.map { try $0.json(in: collection, &authors) }, next: page.next,
                isComplete: list.isComplete)
        }
    }
}

/// One page of a row's history.
package struct HistoryPage: Sendable, Equatable {
    /// The entries in their wire form.
    package let results: [JSON]
    /// The version before which the next page begins; nil on the last page.
    package let next: ServerVersion?
    /// Whether the entries of all pages lead back to the row's insert, without a gap.
    package let isComplete: Bool
}

extension HistoryEntry {
    fileprivate func json(in collection: Collection, _ authors: inout HistoryAuthors) throws -> JSON {
        [
            "version": .int(version.rawValue), "at": .string(at.text), "edited_at": .string(editedAt.text),
            "user": try authors.user(userID), "device": try authors.device(of: self),
            "changes": .object(changes.reduce(into: [:]) { $0[$1.key] = $1.value.json(of: collection.field($1.key)!) }),
        ]
    }
}

extension HistoryEntry.Change {
    fileprivate func json(of field: Field) -> JSON {
        let encoding = WireEncoding.json
        return ["before": encoding.encoded(before, of: field), "after": encoding.encoded(after, of: field)]
    }
}
