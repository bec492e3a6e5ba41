import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Updates the gates of changed rows. If a row's gate opened or closed, its dependants are delivered again, because
    /// their own numbers may be older than a client's watermark.
    func updateGates() throws {
        for collection in registry.collections {
            guard collection.isGated else { continue }
            for key in entries.keys where key.collection == collection.name {
                try updateGate(key, collection)
            }
        }
    }

    private func updateGate(_ key: RowKey, _ collection: Collection) throws {
        guard let entry = entries[key], !entry.current.isDeleted || entry.isNew else { return }
        let isGated = try isGated(entry.current, collection)
        guard isGated != entry.current.isGated else { return }
        modify(key) { $0.current.isGated = isGated }
        guard !entry.isNew else { return }
        for referrer in registry.referrers(of: collection.name) {
            let dependants = registry.collection(referrer.collection)
            guard dependants.inherits(by: referrer.field) else { continue }
            for row in try liveRecords(in: dependants, where: referrer.field, holds: .string(key.id)) {
                try restamp(RowKey(dependants.name, row.id))
            }
        }
    }

    private func isGated(_ record: StoredRow, _ collection: Collection) throws -> Bool {
        switch collection.visibility {
        case .everyone, .own: return false
        case .gate(let field, let value, _): return record.values[collection.position(named: field)] == value
        case .inherited(let field):
            guard let parent = collection.field(field)?.reference?.collection,
                let id = record.values[collection.position(named: field)].string
            else { return false }
            return try self.record(RowKey(parent, id))?.isGated ?? false
        }
    }
}
