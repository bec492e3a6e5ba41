import GRDB
import SyncProtocol

/// Removes the rows of lost projects, which the drain did not name. Rows with unsent edits are copied to `_set_aside`.
struct LostProjects {
    let end: DrainEnd

    func drop() throws -> [LeftProject] {
        try end.left.sorted { $0.key < $1.key }.map { id, reason in
            let name = try name(of: id)
            let aside = SetAside(reason: reason.rawValue, time: end.time.text)
            let count = try Replica.tables(end.db).reduce(0) { try $0 + drop(id, from: $1, aside) }
            return LeftProject(id: id, name: name, reason: reason, setAside: count)
        }
    }

    private func name(of project: String) throws -> String? {
        guard end.schema[ProjectColumn.collection]?["name"] != nil else { return nil }
        let sql = "SELECT name FROM \(ProjectColumn.collection) WHERE id = ?"
        return try Row.fetchOne(end.db, sql: sql, arguments: [project])?["name"]
    }

    /// Returns how many rows were set aside.
    private func drop(_ project: String, from table: String, _ aside: SetAside) throws -> Int {
        // Tables that the schema had before this was a replica of all projects have no such column.
        guard try end.db.columns(in: table).contains(where: { $0.name == ProjectColumn.name }) else { return 0 }
        let condition = """
            \(ProjectColumn.name) = \(ProjectColumn.literal(project)) AND _drain <> \(end.state.drainNumber)
            """
        let count = try aside.copyUnsent(
            end.db, table: table, schema: end.schema[table],
            where: "\(condition) AND NOT \(Replica.isAnsweredDeletion(table))")
        try end.db.execute(sql: "DELETE FROM \(SQLName.quoted(table)) WHERE \(condition)")
        return count
    }
}
