import SyncProtocol
import SyncSchema

extension Draft {
    /// Deletes a live row and everything that its schema cascades to; rows that refer to a deleted one through a `clear`
    /// reference are updated. Works through a list, so that depth costs no stack.
    ///
    /// Throws `in_use` where a row that stays refers to one that would go through a `restrict` reference.
    package func delete(_ root: RowKey) throws {
        guard registry[root.collection]!.scope != .project else { return try deleteProject() }
        var pending = [root]
        var restricted: [(referrer: RowKey, target: RowKey)] = []
        while let key = pending.popLast() {
            guard try liveRecord(key) != nil else { continue }
            try markDeleted(key)
            for referrer in registry.referrers(of: key.collection) {
                for row in try liveRecords(
                    in: registry[referrer.collection]!, where: referrer.field, holds: .string(key.id))
                {
                    let rowKey = RowKey(referrer.collection, row.id)
                    switch referrer.reference.onDelete {
                    case .cascade: pending.append(rowKey)
                    case .clear: try clear(referrer.field, of: rowKey, from: key.id)
                    case .restrict: restricted.append((rowKey, key))
                    }
                }
            }
        }
        for (referrer, target) in restricted where try liveRecord(referrer) != nil {
            throw Problem(
                .inUse, "\(target.collection) \(target.id) is in use by \(referrer.collection) \(referrer.id).")
        }
    }

    /// Takes the id out of the field: null, or the list without it.
    private func clear(_ field: Field, of key: RowKey, from id: String) throws {
        let position = registry[key.collection]!.position(field.name)!
        try update(key) { values in
            values[position] = values[position].array.map { .array($0.filter { $0 != .string(id) }) } ?? .null
        }
    }
}
