import GRDB
import SyncProtocol

/// A row as its table stores it, for readers outside the replica.
struct StoredRow {
    /// An object with the fields of the wire, `_status` and `_changed`. Columns that
    /// only the replica uses are left out.
    let json: JSON

    init(_ row: Row, schema: CollectionSchema?) throws {
        let kinds = Dictionary(uniqueKeysWithValues: (schema?.columns ?? []).map { ($0.name, $0.kind) })
        var members: [String: JSON] = [:]
        for (name, value) in row where !["_drain", "_base"].contains(name) {
            members[name] = try SQLValue.decode(value, as: kinds[name])
        }
        json = .object(members)
    }
}
