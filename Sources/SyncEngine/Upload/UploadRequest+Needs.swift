import SyncProtocol
import SyncSchema
import SyncStore

extension UploadRequest {
    /// What applying the batch looks up first: its own rows, the rows that they refer to, and the users in them.
    func needs(_ registry: Registry) -> Needs {
        var rows = Set(self.rows.map(\.key))
        var users: Set<Int64> = []
        for row in self.rows {
            guard row.bucket != .deleted, let collection = registry[row.key.collection] else { continue }
            for (name, value) in row.fields {
                guard let field = collection.field(name) else { continue }
                if let target = field.reference?.collection {
                    rows.formUnion((value.array ?? [value]).compactMap(\.string).map { RowKey(target, $0) })
                } else if field.user != nil {
                    users.formUnion((value.array ?? [value]).compactMap(\.int))
                }
            }
        }
        return Needs(rows: Array(rows), users: Array(users))
    }
}
