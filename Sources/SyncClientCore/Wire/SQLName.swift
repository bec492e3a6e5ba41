import SyncProtocol

/// Checks and quotes names that the server chose and that become SQL identifiers.
///
/// Names are checked when a schema is read (`ServerSchema.init(_:)`) and quoted when SQL is built. No schema can inject
/// SQL into a replica, or use a name of the replica's own tables and columns.
enum SQLName {
    /// The columns that every table has besides the collection's fields.
    static let ownColumns = ["id", "server_version", "_status", "_changed", "_drain", "_base"]

    /// The name as a quoted SQL identifier.
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Throws `SyncError.unusableSchema` for a name that is not an identifier, or is reserved for SQLite or for the
    /// replica. The replica reserves every name that starts with `_`.
    static func checkTable(_ name: String) throws {
        guard isIdentifier(name), !name.hasPrefix("_"), !name.lowercased().hasPrefix("sqlite_") else {
            throw SyncError.unusableSchema("a table can't be called `\(name)`")
        }
    }

    /// Throws `SyncError.unusableSchema` for a name that is not an identifier, or that every table has already.
    static func checkColumn(_ name: String, in table: String) throws {
        guard isIdentifier(name), !ownColumns.contains(name.lowercased()) else {
            throw SyncError.unusableSchema("a column of `\(table)` can't be called `\(name)`")
        }
    }

    /// Throws `SyncError.unusableSchema` when two names differ only in case, since SQLite treats them as equal.
    static func checkDistinct(_ names: [String], in place: String) throws {
        guard Set(names.map { $0.lowercased() }).count == names.count else {
            throw SyncError.unusableSchema("two names in \(place) differ only in case")
        }
    }

    /// `^[A-Za-z_][A-Za-z0-9_]*$`
    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !first.isASCIIDigit else { return false }
        return name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x5F }
    }
}

/// The column with a row's project, which every table of a replica of all projects has.
enum ProjectColumn {
    static let name = "project_id"
    /// The collection whose rows are the projects.
    static let collection = "projects"

    /// The server deletes a project's rows with it, as those of a reference that cascades.
    static let schema = ColumnSchema(
        name: name, kind: .text, defaultValue: .null, isReadOnly: false, isNullable: false, reference: collection,
        onDelete: .cascade, document: ["type": "string"])

    /// SQL for an index of a table's rows by project.
    static func index(_ table: String) -> String {
        "CREATE INDEX IF NOT EXISTS \(SQLName.quoted("_project_" + table)) ON \(SQLName.quoted(table)) (\(name))"
    }

    /// A project's id as SQL. Ids have letters, digits, `_`, `.` and `-`; others can't get here, but would do no harm.
    static func literal(_ project: String) -> String { "'" + project.replacing("'", with: "''") + "'" }
}
