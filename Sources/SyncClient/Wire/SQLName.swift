import SyncProtocol

/// Names that the server chose and that become SQL identifiers.
///
/// They are checked where they come in (`ServerSchema.init(_:)`) and quoted where they go out, so that no schema can
/// smuggle SQL into a replica or take the place of the replica's own tables and columns.
enum SQLName {
    /// The columns that every table has besides the wire's own.
    static let ownColumns = ["id", "server_version", "_status", "_changed", "_drain", "_base"]

    /// As an identifier in SQL.
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Throws for names that are no identifiers, or are kept for SQLite or the replica (all with a leading `_`).
    static func checkTable(_ name: String) throws {
        guard isIdentifier(name), !name.hasPrefix("_"), !name.lowercased().hasPrefix("sqlite_") else {
            throw SyncError.unusableSchema("no table can be called `\(name)`")
        }
    }

    static func checkColumn(_ name: String, in table: String) throws {
        guard isIdentifier(name), !ownColumns.contains(name.lowercased()) else {
            throw SyncError.unusableSchema("no column of `\(table)` can be called `\(name)`")
        }
    }

    /// SQLite holds names equal that differ in case only.
    static func checkDistinct(_ names: [String], in place: String) throws {
        guard Set(names.map { $0.lowercased() }).count == names.count else {
            throw SyncError.unusableSchema("two names in \(place) differ in case only")
        }
    }

    /// `^[A-Za-z_][A-Za-z0-9_]*$`
    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !first.isASCIIDigit else { return false }
        return name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x5F }
    }
}
