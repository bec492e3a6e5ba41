import SyncProtocol
import SyncSchema
import SyncStore

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
        of row: StoredRow, in collection: Collection, from oldest: Instant, _ access: ProjectAccess,
        _ registry: Registry, _ transaction: any ReadTransaction
    ) throws {
        let key = RowKey(collection.name, row.id)
        let known = try transaction.changes(of: key, since: .commit(.zero), bytes: HistoryList.mostBytes)
        let changes = known.elements.prefix { $0.at >= oldest }.unbroken(to: row.version)
        let since = try access.seenSince(row, in: collection, changes: changes, registry, transaction)
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
