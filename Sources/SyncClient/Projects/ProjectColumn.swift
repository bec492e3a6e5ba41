import SyncProtocol

/// The column with a row's project, which every table of a replica of all projects has.
enum ProjectColumn {
    static let name = "project_id"
    /// The collection whose rows are the projects.
    static let collection = "projects"

    /// The server deletes a project's rows with it, as those of a reference that cascades.
    static let schema = ColumnSchema(
        name: name, kind: .text, defaultValue: .null, isReadOnly: false, isNullable: false, reference: collection,
        onDelete: .cascade)

    /// SQL for an index of a table's rows by project.
    static func index(_ table: String) -> String {
        "CREATE INDEX IF NOT EXISTS \(SQLName.quoted("_project_" + table)) ON \(SQLName.quoted(table)) (\(name))"
    }

    /// A project's id as SQL. Ids have letters, digits, `_`, `.` and `-`; others can't get here, but would do no harm.
    static func literal(_ project: String) -> String { "'" + project.replacing("'", with: "''") + "'" }
}
