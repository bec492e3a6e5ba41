import SyncProtocol

/// The names that a schema may use. They work both in SQL and as WatermelonDB columns.
enum Naming {
    private static let reserved: Set<String> = [
        "id", "project_id", "server_version", "sync_seq", "content_seq", "created_seq", "is_deleted", "is_gated",
        "row_checksum", "gate_seq", "inserted_by", "inserted_at", "gate_changes", "base_version", "rowid", "oid",
        "constructor",
    ]

    /// Path segments after the base path or a project. They can't be names of collections.
    static let paths: Set<String> = [
        "auth", "users", "schemas", "health", "ready", "metrics", "openapi", "docs", "sync", "archive", "unarchive",
        "rejected", "api",
    ]

    /// Paths that came later. A collection that was there before keeps its own; a new one can't take such a name.
    static let laterPaths: Set<String> = [
        "devices", "events", "admin", "console", "history", "files", "uploads",
    ]

    /// Whether a field may have this name.
    static func isColumn(_ name: String) -> Bool { isName(name) && !reserved.contains(name) }

    /// At most 48 lower-case letters, digits and `_`, beginning with a letter, but not with `sqlite_` or `tidemark_`.
    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.count <= 48 else { return false }
        return name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == 0x5F }
            && !name.hasPrefix("sqlite_") && !name.hasPrefix("tidemark_")
    }
}
