import Crypto
import Foundation
package import SyncProtocol
import SyncSchema
package import SyncStore
import SyncValues

/// One page of a list.
package struct ItemPage: Sendable, Equatable {
    /// Number of rows to read at a time.
    private static let chunk = 10
    /// A page ends once it has this size, in bytes. This keeps large rows from taking the server's memory.
    private static let fullSize = 8 << 20
    package private(set) var rows: [JSON] = []
    /// The position of the last row, if more rows follow it; otherwise nil.
    package private(set) var next: String?
    /// Approximate size of the values in `rows`, in bytes.
    private var size = 0

    /// Up to `limit` rows after the position `after`, in the list's order. `read`
    /// returns up to `count` live rows after a position.
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

    /// Up to `limit` rows of a filtered or sorted list. The ids are read only once,
    /// because each such query reads all rows of the list.
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

    /// Adds a row to the page. False if the page is full.
    private mutating func take(_ record: StoredRow, upTo limit: Int, in collection: Collection) -> Bool {
        guard rows.count < limit, size < ItemPage.fullSize else { return false }
        rows.append(record.json(in: collection))
        size += record.textBytes
        return true
    }
}

extension StoredRow {
    /// Approximate size of the values, in bytes. In a large row, texts make up most of it.
    fileprivate var textBytes: Int {
        values.reduce(0) { $0 + ($1.string?.utf8.count ?? $1.array.map { $0.count * 64 } ?? 8) }
    }
}

/// The text form of a position, as `next` returns it and `after` takes it: base64url of JSON. It
/// is opaque to clients, and valid only for the same query.
extension ListPlace {
    /// Nil for a text that no list with this query has returned.
    package init?(_ text: String, in query: ListQuery) {
        guard let bytes = Base64URL.decode(text), let json = try? JSON(parsing: bytes, maximumDepth: 3),
            json["list"]?.string == query.binding, let creation = json["row"]?.string.flatMap(CreationPosition.init),
            let keys = json["keys"]?.array, keys.count == query.keys.count,
            zip(keys, query.keys).allSatisfy({ $1.field.value.couldBe($0) })
        else { return nil }
        self.init(keys: keys, creation: creation)
    }

    /// The text that `ListPlace(_:in:)` reads.
    package func text(in query: ListQuery) -> String {
        let json: JSON = [
            "list": .string(query.binding), "row": .string(creation.description), "keys": .array(keys),
        ]
        return Base64URL.encode(Data(json.text.utf8))
    }
}

extension ValueSchema {
    /// Whether a value has the schema's type. Other limits are not checked: a sort key may be only the start of a text.
    fileprivate func couldBe(_ value: JSON) -> Bool {
        switch (kind, value) {
        case (_, .null): isNullable
        case (.string, .string), (.integer, .int), (.number, .int), (.number, .double), (.boolean, .bool): true
        default: false
        }
    }
}

extension ListQuery {
    /// Identifies the query that a list position belongs to. The order of the filters makes no difference.
    var binding: String {
        let filters = filters.map { "\($0.field.name)=\($0.value.text)" }.sorted()
        let keys = keys.map { ($0.isDescending ? "-" : "") + $0.field.name }
        let parts = [[collection.name], filters, keys].map { JSON.array($0.map(JSON.string)) }
        return String(SHA256.hex(of: JSON.array(parts).text).prefix(16))
    }
}
