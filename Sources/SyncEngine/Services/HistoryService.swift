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
        self.store = store
        self.registry = registry
        self.clock = clock
        self.retention = retention
        self.ledger = ledger
    }

    /// One page of a row's history, newest first, as `HistoryList` shows it to the caller. `version` is the `next` of
    /// the page before. The entries, their order and `isComplete` don't depend on the pages.
    ///
    /// Throws `not_found`; for a project, what `ProjectAccess` throws.
    package func page(
        of id: String, in collection: Collection, before version: ServerVersion?, limit: Int, for caller: Caller
    ) async throws -> HistoryPage {
        let key = RowKey(collection.name, id)
        let now = clock.now()
        return try await store.read(.row(key)) { transaction in
            let finder = ItemFinder(caller: caller, registry: registry, transaction: transaction)
            let (row, access) = try finder.find(key)
            let oldest = now.advanced(by: .zero - retention)
            let list = try HistoryList(
                of: row, in: collection, from: oldest, access: access, registry: registry, transaction: transaction)
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

/// The history of a live row as its reader may see it, newest first: back to the row's insert or, if that was later, to
/// when the row last came into the reader's sight (`ProjectAccess.seenSince`).
struct HistoryList {
    /// How much of one row's history is read, in bytes. Older entries count as forgotten.
    static let mostBytes = 4 << 20
    /// The size of a full page, in bytes.
    static let fullPage = 8 << 20

    private(set) var entries: [HistoryEntry] = []
    /// Whether the entries lead back to the row's insert, without a gap.
    private(set) var isComplete = false

    /// Changes from before `oldest` count as forgotten, whether or not they are purged. The access must have been read
    /// in `transaction`, and the row must be in its sight.
    init(
        of row: StoredRow, in collection: Collection, from oldest: Instant, access: ProjectAccess,
        registry: Registry, transaction: any ReadTransaction
    ) throws {
        let key = RowKey(collection.name, row.id)
        let known = try transaction.changes(of: key, since: .commit(.zero), bytes: HistoryList.mostBytes)
        let changes = known.elements.prefix { $0.at >= oldest }.unbroken(to: row.version)
        let since = try access.seenSince(
            row, in: collection, changes: changes, registry: registry, transaction: transaction)
        var values = Dictionary(uniqueKeysWithValues: zip(collection.fields.map(\.name), row.values))
        for change in changes.prefix(while: { $0.seq > since }) {
            entries.append(HistoryEntry(change, leaving: values, in: collection))
            values.merge(change.replaced) { $1 }
        }
        guard row.createdSeq >= since, let user = row.insertedBy, let date = row.insertedAt else { return }
        isComplete = changes.leadToInsert(of: row)
        entries.append(HistoryEntry(insertOf: collection, with: isComplete ? values : nil, by: user, at: date))
    }

    /// At most `limit` entries before a version, and the version of the last one if others follow it. A page that has
    /// reached `bytes` takes no further entry.
    func page(
        before version: ServerVersion, limit: Int, bytes: Int = HistoryList.fullPage
    ) -> (entries: ArraySlice<HistoryEntry>, next: ServerVersion?) {
        let rest = entries.drop { $0.version >= version }
        var size = 0
        let page = rest.prefix(limit).prefix { entry in
            defer { size += entry.textBytes }
            return size < bytes
        }
        return (page, page.count < rest.count ? page.last?.version : nil)
    }
}

extension Sequence<RowChange> {
    /// Of changes of one row, newest first: those that lead back from the version, up to the first gap.
    func unbroken(to version: ServerVersion) -> [RowChange] {
        let pairs = zip(self, sequence(first: version.rawValue) { $0 - 1 })
        return pairs.prefix { $0.version.rawValue == $1 }.map(\.0)
    }

}

extension [RowChange] {
    /// Whether these changes, which have no gap, are all changes of the row since its insert.
    func leadToInsert(of row: StoredRow) -> Bool {
        Int64(count) == row.version.rawValue - ServerVersion.first.rawValue
    }
}

/// One entry of a row's history: its insert, or an edit.
package struct HistoryEntry: Sendable, Equatable {
    /// The row's version after it.
    package let version: ServerVersion
    /// When the server applied it, by its own clock.
    package let at: Instant
    /// When the user made it, if the client says so; never after `at`.
    package let editedAt: Instant
    /// Nil for an edit of the server's own: one that no credential made, as a command of the operator.
    package let userID: Int64?
    /// The name that the device gives itself; nil if it gives none, and for an insert.
    package let device: ExactText?
    /// The fields that it changed, with their values in normal form. Of an insert, those that differ from the schema's
    /// default. Fields that only the server writes and the edit time are never among them.
    package let changes: [String: Change]

    package struct Change: Sendable, Equatable {
        package let before: JSON
        package let after: JSON
    }

    /// The size of the values before and after, in bytes.
    var textBytes: Int { changes.values.reduce(0) { $0 + $1.before.text.utf8.count + $1.after.text.utf8.count } }

    /// An edit that left the row with these values, by field.
    init(_ change: RowChange, leaving values: [String: JSON], in collection: Collection) {
        version = change.version
        at = change.at
        editedAt = change.editedAt
        userID = change.origin.author
        device = change.origin.device
        changes = change.replaced.filter { collection.tells($0.key) }.reduce(into: [:]) { changes, replaced in
            changes[replaced.key] = Change(before: replaced.value, after: values[replaced.key] ?? .null)
        }
    }

    /// The insert of a row of the collection, with these values by field; nil if they are not known.
    init(insertOf collection: Collection, with values: [String: JSON]?, by user: Int64, at date: Instant) {
        version = .first
        at = date
        userID = user
        device = nil
        let edited = collection.editTime.flatMap { values?[$0.name]?.string }.flatMap(Instant.init)
        editedAt = min(edited ?? date, date)
        changes = (values ?? [:]).reduce(into: [:]) { changes, value in
            guard collection.tells(value.key), value.value != collection.field(named: value.key).fallback else {
                return
            }
            changes[value.key] = Change(before: .null, after: value.value)
        }
    }
}

extension Collection {
    /// Whether a history tells of changes of the field.
    fileprivate func tells(_ name: String) -> Bool {
        field(name).map { !$0.isServerOwned && $0.name != editTime?.name } ?? false
    }
}

/// Names the users and devices behind entries of a history, as far as the reader may know them.
struct HistoryAuthors {
    let transaction: any ReadTransaction
    let devices: DeviceList
    let access: ProjectAccess
    private var users: [Int64: JSON] = [:]
    private var known: [Int64: [Device]] = [:]

    init(_ transaction: any ReadTransaction, _ devices: DeviceList, for access: ProjectAccess) {
        self.transaction = transaction
        self.devices = devices
        self.access = access
    }

    /// The user, former members included; null without a user.
    mutating func user(_ id: Int64?) throws -> JSON {
        guard let id else { return .null }
        if let known = users[id] { return known }
        let user = try transaction.user(id: id)?.json ?? .null
        users[id] = user
        return user
    }

    /// The device's name in the ledger. Its id is for its user and for superusers, if it has no name. Null for users
    /// below ADMIN, unless the device is their own.
    mutating func device(of entry: HistoryEntry) throws -> JSON {
        let isOwn = entry.userID == access.caller.userID
        guard let id = entry.device, let user = entry.userID, isOwn || access.role >= .admin else { return .null }
        let theirs = try known[user] ?? devices.devices(of: user, in: nil)
        known[user] = theirs
        if let name = theirs.first(where: { $0.key.id == id })?.name { return .string(name.value) }
        return isOwn || access.caller.isSuperuser ? .string(id.rawValue) : .null
    }
}
