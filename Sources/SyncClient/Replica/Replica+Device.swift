import GRDB

extension Replica {
    /// What the replica tells servers of itself: the id that its uploads have too, and how the last drain's comparison
    /// with the server's digest ended (`same`, `differs`, nil if there was none).
    func device() throws -> (id: String, comparison: String?) {
        try read { db in
            let row = try Row.fetchOne(db, sql: "SELECT device, compared FROM _replica")
            return (row?["device"] ?? "", row?["compared"])
        }
    }

    /// Makes the user the owner of the replica, if it has none. Throws `ReplicaError.otherUser` if it has another one.
    func claim(for user: Int64) throws {
        let owner = try write { db in
            try db.execute(sql: "UPDATE _replica SET owner = ? WHERE owner IS NULL", arguments: [user])
            return try Int64.fetchOne(db, sql: "SELECT owner FROM _replica")
        }
        guard owner == user else { throw ReplicaError.otherUser(path: path) }
    }
}
