import GRDB

// A replica of all projects belongs to the first user who syncs it. Whoever made something in it before anybody had
// logged in may have been somebody else, so the app asks.

extension Replica {
    /// Answers `ReplicaError.unclaimedEdits`: what was made here before anybody had logged in goes to whoever syncs
    /// next, and the replica with it. The answer is in the file. Call it just before that sync.
    public func adoptUnclaimed() throws {
        try writeDurably { db in
            guard try Self.unclaimed(db) > 0 else { return }
            try db.execute(sql: "UPDATE _replica SET adopted = 1")
        }
    }

    /// Answers `ReplicaError.unclaimedEdits`: removes what was made here before anybody had logged in, with files and
    /// the copies set aside. Does nothing in a replica that was ever pulled or has an owner.
    public func discardUnclaimed() throws {
        try writeDurably { db in
            guard try Self.unclaimed(db) > 0 else { return }
            for table in try Self.editedTables(db) {
                try db.execute(sql: "DELETE FROM \(SQLName.quoted(table)) WHERE _status <> 'synced'")
            }
            try FileTable(db: db).removeAll()
            try db.execute(sql: "DELETE FROM _set_aside; DELETE FROM _refused; UPDATE _replica SET adopted = 0")
        }
    }

    /// Makes the user the owner of the replica, if it has none. Throws `ReplicaError.otherUser` if it has another one,
    /// and `unclaimedEdits` if nobody has said whose the edits in it are. Nothing changes then.
    func claim(for user: Int64) throws {
        let owner = try write { db in
            if try !Self.isAdopted(db), case let count = try Self.unclaimed(db), count > 0 {
                throw ReplicaError.unclaimedEdits(count)
            }
            try db.execute(sql: "UPDATE _replica SET owner = ?, adopted = 0 WHERE owner IS NULL", arguments: [user])
            return try Int64.fetchOne(db, sql: "SELECT owner FROM _replica")
        }
        guard owner == user else { throw ReplicaError.otherUser(path: path) }
    }

    private static func isAdopted(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT adopted FROM _replica") ?? false
    }

    /// How many edits, files and copies set aside are nobody's: 0 if no edit and no file is. A replica that was pulled
    /// before there were owners is its user's.
    private static func unclaimed(_ db: Database) throws -> Int {
        let sql = "SELECT owner IS NULL FROM _replica"
        guard try state(db).schemaVersion == ServerSchema.appVersion, try Bool.fetchOne(db, sql: sql) ?? false else {
            return 0
        }
        let unsent = try unsentCount(db) + FileTable(db: db).unsent().count
        return unsent > 0 ? unsent + (try setAsideCount(db)) : 0
    }
}
