import SyncProtocol
import SyncSchema

/// A collection next to the document that its rows were stored by. Throws `SchemaError`s for what rows can't follow,
/// each with the steps that lead there.
struct CollectionChange {
    let old: JSON
    let new: Collection

    private static let anew = """
        Put it back as it was. To change it: tidemark export the projects with the files of before, and tidemark \
        import them into a new database file with these.
        """

    /// Names of fields that the rows did not have.
    var newFields: [String] { new.fields.map(\.name).filter { old["properties"]?[$0] == nil } }

    func check() throws(SchemaError) {
        for keyword in ["x-visibility", "x-scope"] where old[keyword] != new.document[keyword] {
            throw error("/\(keyword)", "differs from what the database's rows were stored by. \(Self.anew)")
        }
        for field in new.fields {
            if let schema = old["properties"]?[field.name] { try check(field, storedBy: schema) }
        }
    }

    /// The values of a column stay, so that their kind does.
    func check(_ field: Field, storedBy schema: JSON) throws(SchemaError) {
        guard Self.kind(of: schema) == field.value.kind.rawValue else { throw otherType(field) }
    }

    func otherType(_ field: Field) -> SchemaError {
        error(
            field,
            """
            its type differs from the database's. Put it back as it was. To change it: add a field of another name \
            with the new type, have its values written, then set "x-removed": true on this one.
            """)
    }

    func refuseNulls(in field: Field) -> SchemaError {
        error(
            field,
            """
            rows may hold null here. Allow null again. To forbid it: add a field of another name that has a default, \
            have its values written, then set "x-removed": true on this one.
            """)
    }

    func lost(_ field: String) -> SchemaError {
        error(
            "/properties/\(field)",
            """
            the database has this field, the schema has not. Put it back as it was. To drop it, set "x-removed": true \
            on it; its values are kept until tidemark schema prune.
            """)
    }

    func needsValue(_ field: Field) -> SchemaError {
        error(field, "a new field needs a default or null for the rows that are there")
    }

    private func error(_ field: Field, _ reason: String) -> SchemaError {
        error("/properties/\(field.name)", reason)
    }

    func error(_ pointer: String, _ reason: String) -> SchemaError {
        SchemaError(file: new.name, pointer: pointer, reason: reason)
    }

    /// Whether the field's reference is another one than it was, or new.
    func hasNewReference(_ field: Field) -> Bool {
        let (before, after) = (old["properties"]?[field.name], new.document["properties"]?[field.name])
        return ["x-ref", "x-user"].contains { after?[$0] != nil && after?[$0] != before?[$0] }
    }

    private static func kind(of schema: JSON) -> String? {
        schema["type"]?.string ?? schema["type"]?.array?.compactMap(\.string).first { $0 != "null" }
    }
}
