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
}
