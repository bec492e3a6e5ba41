package import SyncProtocol
import SyncSchema
import SyncStore

/// Some rows of a list.
package struct ItemPage: Sendable, Equatable {
    /// Rows that are read at once.
    private static let chunk = 10
    /// A page that has reached this size ends, so that large rows don't take the server's memory.
    private static let fullSize = 8 << 20
    package private(set) var rows: [JSON] = []
    /// The last row's place, where more rows follow it.
    package private(set) var next: String?
    /// Bytes of text in `rows`.
    private var size = 0

    /// Up to `limit` rows behind `after`, a place in the list's order. `read` gives the live rows behind a place, up to
    /// a count.
    init<Place: LosslessStringConvertible>(
        after: Place, place: (StoredRow) -> Place, limit: Int, in collection: Collection,
        read: (_ after: Place, _ count: Int) throws -> [StoredRow]
    ) rethrows {
        var last = after
        while true {
            let records = try read(last, min(ItemPage.chunk, limit + 1 - rows.count))
            for record in records {
                guard take(record, upTo: limit, in: collection) else {
                    next = last.description
                    return
                }
                last = place(record)
            }
            if records.isEmpty { return }
        }
    }

    /// Up to `limit` rows of a list that is filtered or sorted. Its ids are asked for once, as each question reads all
    /// rows of the list.
    init(_ query: ListQuery, scope: Listing.Scope, after: ListPlace?, limit: Int, in transaction: any ReadTransaction)
        throws
    {
        var last = after
        for id in try transaction.ids(of: Listing(query, scope: scope, after: after, limit: limit + 1)) {
            guard let record = try transaction.record(RowKey(query.collection.name, id)) else { continue }
            guard take(record, upTo: limit, in: query.collection) else {
                next = last?.text(in: query)
                return
            }
            last = ListPlace(of: record, in: query)
        }
    }

    /// False where the page is full.
    private mutating func take(_ record: StoredRow, upTo limit: Int, in collection: Collection) -> Bool {
        guard rows.count < limit, size < ItemPage.fullSize else { return false }
        rows.append(record.json(in: collection))
        size += record.textBytes
        return true
    }
}

extension StoredRow {
    /// The bytes of its texts, which make up what is large in a row.
    fileprivate var textBytes: Int {
        values.reduce(0) { $0 + ($1.string?.utf8.count ?? $1.array.map { $0.count * 64 } ?? 8) }
    }
}
