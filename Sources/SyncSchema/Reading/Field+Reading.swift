import SyncProtocol

/// Reads the parts of a property, for `Field.init`.
extension Field {
    /// The default in normal form; null if there is none.
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
