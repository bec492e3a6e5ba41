import SyncProtocol

/// What `Field.init` reads the parts of a property with.
extension Field {
    static func fallback(_ reader: inout SchemaReader, _ value: ValueSchema) throws(SchemaError) -> JSON {
        guard let fallback = reader.take("default") else { return .null }
        do {
            return try value.normalized(fallback)
        } catch {
            throw reader.error("the default \(error.detail)", at: "default")
        }
    }

    static func reference(_ reader: inout SchemaReader, isList: Bool) throws(SchemaError) -> Reference? {
        guard var object = try reader.object("x-ref") else { return nil }
        guard let collection = try object.string("collection"),
            let onDelete = try object.word("on-delete", OnDelete.self)
        else { throw object.error("needs collection and on-delete") }
        try object.finish()
        if isList, onDelete != .clear { throw object.error("a list of references can only be cleared") }
        return Reference(collection: collection, onDelete: onDelete, isList: isList)
    }

    static func user(_ reader: inout SchemaReader) throws(SchemaError) -> OnLeave? {
        guard var object = try reader.object("x-user") else { return nil }
        guard let onLeave = try object.word("on-leave", OnLeave.self) else { throw object.error("needs on-leave") }
        try object.finish()
        return onLeave
    }
}

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
