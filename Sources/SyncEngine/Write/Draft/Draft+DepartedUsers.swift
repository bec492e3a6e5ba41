import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Clears users who lost their membership in this draft from the fields whose `x-user` says `clear`.
    func clearDepartedUsers() throws {
        guard !isProjectDeleted, let position = registry.memberships.position("user") else { return }
        let name = registry.memberships.name
        let gone = entries.filter { $0.key.collection == name && $0.value.becameDeleted }.values
        for user in Set(gone.compactMap { $0.current.values[position].int }) where try !isMember(user) {
            for collection in registry.collections {
                for field in collection.fields where field.user == .clear {
                    try take(.int(user), out: field, of: collection)
                }
            }
        }
    }

    private func take(_ user: JSON, out field: Field, of collection: Collection) throws {
        let position = collection.position(of: field)
        for row in try liveRecords(in: collection, where: field, holds: user) {
            try update(RowKey(collection.name, row.id), stored: row) { $0[position] = .null }
        }
    }
}
