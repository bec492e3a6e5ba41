import SyncProtocol

/// Which names a schema may use, so that they serve as SQL and WatermelonDB columns alike.
enum Naming {
    private static let reserved: Set<String> = [
        "id", "project_id", "server_version", "sync_seq", "content_seq", "created_seq", "is_deleted", "is_gated",
        "row_checksum", "gate_seq", "inserted_by", "inserted_at", "gate_changes", "base_version", "rowid", "oid",
        "constructor",
    ]

    /// What comes behind the base path or a project, and so can't name a collection.
    static let paths: Set<String> = [
        "auth", "users", "schemas", "health", "ready", "metrics", "openapi", "docs", "sync", "archive", "unarchive",
        "rejected", "api",
    ]

    static func isColumn(_ name: String) -> Bool { isName(name) && !reserved.contains(name) }

    /// Lower-case letters, digits and `_`, beginning with a letter, at most 48.
    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.count <= 48 else { return false }
        return name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == 0x5F }
            && !name.hasPrefix("sqlite_") && !name.hasPrefix("tidemark_")
    }
}
