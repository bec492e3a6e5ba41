package import SyncProtocol
import SyncSchema

/// A row's place in a list that is filtered or sorted: its sort keys, then its creation. It stays where it is when the
/// row changes, so that rows that do not are neither lost nor doubled.
package struct ListPlace: Sendable, Equatable {
    /// Of each sort key, as far as it has a say.
    package let keys: [JSON]
    /// Of projects the id alone.
    package let creation: CreationPosition

    package init(of row: StoredRow, in query: ListQuery) {
        keys = query.keys.map { ListQuery.sorted(row.values[query.collection.position($0.field.name)!]) }
        creation = query.collection.scope == .project ? CreationPosition(seq: .zero, id: row.id) : row.creation
    }

    package init(keys: [JSON], creation: CreationPosition) {
        self.keys = keys
        self.creation = creation
    }
}
