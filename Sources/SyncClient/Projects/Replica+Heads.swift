import GRDB
import SyncProtocol

// `_project` has the projects that the user was a member of at the watermark, and the head that the drains have reached
// in each. A drain names the heads only of projects that changed, so the others keep theirs.

extension Replica {
    /// Adopts the heads of a drain that ends. `left` are the projects that the user has lost.
    static func adopt(
        _ heads: [String: SyncSeq], without left: some Sequence<String>, isFromZero: Bool, _ db: Database
    ) throws {
        if isFromZero { try db.execute(sql: "DELETE FROM _project") }
        for id in left {
            try db.execute(sql: "DELETE FROM _project WHERE id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM _batch_project WHERE project = ?", arguments: [id])
        }
        for (id, head) in heads {
            try db.execute(
                sql: "INSERT OR REPLACE INTO _project (id, head) VALUES (?, ?)", arguments: [id, head.rawValue])
        }
    }

    /// Drops what a drain that broke off has stored of projects that the replica did not have at the watermark: the
    /// drain that begins again would not take all of it back. Rows with unsent edits stay, and so do rows that the
    /// server answered and no drain has covered.
    static func forgetDrain(_ schema: ServerSchema?, _ db: Database) throws {
        try DrainProjects.forget(db)
        for collection in schema?.collections ?? [] {
            try db.execute(
                sql: """
                    DELETE FROM \(SQLName.quoted(collection.name))
                    WHERE _status = 'synced' AND _drain > 0
                        AND \(ProjectColumn.name) NOT IN (SELECT id FROM _project)
                        AND id NOT IN (SELECT id FROM _batch_row WHERE collection = :name)
                    """, arguments: ["name": collection.name])
        }
    }
}
