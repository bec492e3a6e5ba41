import SyncProtocol
import SyncSchema
import SyncStore

/// A row and the caller who changes it, as rules see them.
struct RuleSubject {
    let record: StoredRow
    let collection: Collection
    let draft: Draft

    subscript(field: String) -> JSON { value(field, of: record) }

    /// The row before the draft; nil for a new one.
    var original: StoredRow? { draft.entries[RowKey(collection.name, record.id)]?.original }

    /// The field's value before the draft; nil for a new row.
    func original(_ field: String) -> JSON? { original.map { value(field, of: $0) } }

    /// What the caller may do; nil for the server's own writes.
    var access: ProjectAccess? { draft.access }

    private func value(_ field: String, of record: StoredRow) -> JSON {
        collection.position(field).map { record.values[$0] } ?? .null
    }
}
