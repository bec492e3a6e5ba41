package import SyncProtocol
import SyncSchema

/// A row's position in a filtered or sorted list: its sort keys, then its creation. It is a value of its own and stays
/// the same when the row changes, so rows that don't change are neither missed nor repeated.
package struct ListPlace: Sendable, Equatable {
    /// The value of each sort key, shortened as by `ListQuery.sorted`.
    package let keys: [JSON]
    /// For projects only the id counts; the commit is zero.
    package let creation: CreationPosition

    package init(of row: StoredRow, in query: ListQuery) {
        keys = query.keys.map { ListQuery.sorted(row.values[query.collection.position(of: $0.field)]) }
        creation = query.collection.scope == .project ? CreationPosition(seq: .zero, id: row.id) : row.creation
    }

    package init(keys: [JSON], creation: CreationPosition) {
        self.keys = keys
        self.creation = creation
    }
}
