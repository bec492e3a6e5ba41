package import SyncProtocol
import SyncSchema

/// Some rows of a list.
package struct ItemPage: Sendable, Equatable {
    /// Rows that are read at once.
    private static let chunk = 10
    /// A page that has reached this size ends, so that large rows don't take the server's memory.
    private static let fullSize = 8 << 20
    package private(set) var rows: [JSON] = []
    /// The last row's place, where more rows follow it.
    package private(set) var next: String?

    /// Up to `limit` rows behind `after`, a place in the list's order. `read` gives the live rows behind a place, up to a
    /// count.
    init<Place: LosslessStringConvertible>(
        after: Place, place: (StoredRow) -> Place, limit: Int, in collection: Collection,
        read: (_ after: Place, _ count: Int) throws -> [StoredRow]
    ) rethrows {
        var (last, size) = (after, 0)
        while true {
            let records = try read(last, min(ItemPage.chunk, limit + 1 - rows.count))
            for record in records {
                guard rows.count < limit, size < ItemPage.fullSize else {
                    next = last.description
                    return
                }
                rows.append(record.json(in: collection))
                size += record.textBytes
                last = place(record)
            }
            if records.isEmpty { return }
        }
    }
}

extension StoredRow {
    /// The bytes of its texts, which make up what is large in a row.
    fileprivate var textBytes: Int {
        values.reduce(0) { $0 + ($1.string?.utf8.count ?? $1.array.map { $0.count * 64 } ?? 8) }
    }
}
