import GRDB
import SyncProtocol

extension Replica {
    /// Whether a batch was sent and not answered. It must go to the same project, or to all projects, again.
    public func hasWaitingBatch() throws -> Bool {
        try read { try Self.hasWaitingBatch($0) }
    }

    private static func hasWaitingBatch(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE timestamp IS NULL)") ?? false
    }

    /// Turns a replica of one project into one of all projects of the user, in one transaction. Unsent edits stay. The
    /// next pull reads everything again. Does nothing if it is one already.
    ///
    /// Throws `ReplicaError.batchWaits`, and changes nothing, as long as a batch waits for its answer: push to the
    /// project first.
    public func widen() throws {
        try writeDurably { db in
            let state = try Self.state(db)
            guard let project = state.project else { return }
            guard try !Self.hasWaitingBatch(db) else { throw ReplicaError.batchWaits(path: path) }
            try state.reset(resync: true).save(db)
            try ReplicaFile(path: path).addProjects(db)
            try Self.fillProjects(with: project, db)
        }
    }

    /// Gives every row and every answered batch its project.
    private static func fillProjects(with project: String, _ db: Database) throws {
        for collection in try storedSchema(of: state(db), db)?.collections ?? [] {
            _ = try TableShape(collection: collection).grow(db)
            try db.execute(
                sql: "UPDATE \(SQLName.quoted(collection.name)) SET \(ProjectColumn.name) = ?", arguments: [project])
        }
        try db.execute(
            sql: "INSERT INTO _batch_project SELECT number, ?, timestamp FROM _batch", arguments: [project])
        try db.execute(sql: "UPDATE _batch SET timestamp = 0")
    }
}
