import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// Rows that a write has fetched ahead. What they say stays true as long as their project is locked.
extension PostgreSQLTransaction {
    /// Queues questions for what the body will probably read. Without a lock the answers would not stay true, so only
    /// rows of the project that the scope names are asked for.
    func fetch(_ needs: Needs) throws {
        if case .project(let project) = scope {
            for (collection, keys) in Dictionary(grouping: needs.rows, by: \.collection) {
                try fetch(keys, registry.collection(collection), of: project)
            }
        }
        guard !needs.users.isEmpty else { return }
        try session.send(Self.usersByID, [Parameters.list(needs.users)]) { [session] result in
            guard let rows = try? result.get() else { return }
            for id in needs.users { session.pending.users[id] = .some(nil) }
            for row in rows.rows { session.pending.users[row.integer(0)] = User(row) }
        }
    }

    private func fetch(_ keys: [RowKey], _ collection: Collection, of project: String) throws {
        let sql = layout(collection).select + "id = ANY(?1)"
        try session.send(sql, [Parameters.list(keys.map(\.id))]) { [session] result in
            guard let rows = try? result.get() else { return }
            var others: Set<String> = []
            for row in rows.rows {
                let stored = StoredRow(row, of: collection)
                if stored.project == project {
                    session.pending.rows[RowKey(collection.name, stored.id)] = stored
                } else {
                    others.insert(stored.id)
                }
            }
            for key in keys where !others.contains(key.id) && session.pending.rows[key] == nil {
                session.pending.rows[key] = .some(nil)
            }
        }
    }

    /// A row of a project that is not locked yet is read again once it is.
    func record(_ key: RowKey) throws -> StoredRow? {
        if let known = session.pending.rows[key] { return known }
        let collection = registry.collection(key.collection)
        let result = try session.ask(layout(collection).selectByID, [.string(key.id)])
        guard let row = result.first.map({ StoredRow($0, of: collection) }) else { return nil }
        let isKnown = session.pending.projects[row.project] != nil
        guard isWriting, scope.covers(row.project), !isKnown else { return row }
        try touch(row.project)
        return try record(key)
    }

    private static let usersByID = userByID.replacing("id = ?1", with: "id = ANY(?1)")

    func user(id: Int64) throws -> User? {
        if let known = session.pending.users[id] { return known }
        return try session.ask(Self.userByID, [.int(id)]).first.map { User($0) }
    }

    /// Forgets what was fetched of rows that are written. Nil stands for all rows of the collection.
    func noteWrite(of ids: [String]?, in collection: Collection) {
        if let ids {
            for id in ids { session.pending.rows[RowKey(collection.name, id)] = nil }
        } else {
            session.pending.rows = session.pending.rows.filter { $0.key.collection != collection.name }
        }
    }
}
