import GRDB
import SyncProtocol

/// A row as it lies in its table.
struct StoredRow {
    /// The wire's fields, `_status` and `_changed`; not the columns that mean nothing outside the replica.
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
