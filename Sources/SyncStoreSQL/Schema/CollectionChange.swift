import SyncProtocol
import SyncSchema
import SyncValues

/// A collection, compared with the document that its rows were stored with. If the rows can't follow a change, its
/// methods throw or return a `SchemaError` with the steps that make the change possible.
struct CollectionChange {
    let old: JSON
    let new: Collection

    private static let remedy = """
        Put it back as it was. To change it, run `tidemark export` for each project with the old schema files, and \
        `tidemark import` into a new database with the new ones.
        """

    /// Names of the fields that the stored rows do not have.
    var newFields: [String] { new.fields.map(\.name).filter { old["properties"]?[$0] == nil } }

    /// Whether rows that only their owners saw are for a role too from now on.
    var gainsRole: Bool {
        let before = old["x-visibility"]?.object ?? [:]
        let after = new.document["x-visibility"]?.object ?? [:]
        return before["own"] != nil && before["role"] == nil && after["own"] == before["own"] && after["role"] != nil
    }

    func check() throws(SchemaError) {
        for keyword in ["x-visibility", "x-scope"] where old[keyword] != new.document[keyword] {
            if keyword == "x-visibility", gainsRole { continue }
            throw error("/\(keyword)", "differs from the schema that the rows were stored with. \(Self.remedy)")
        }
        for field in new.fields {
            if let schema = old["properties"]?[field.name] { try check(field, storedBy: schema) }
        }
    }

    /// The values stay in their column, so their kind must stay too.
    func check(_ field: Field, storedBy schema: JSON) throws(SchemaError) {
        guard Self.kind(of: schema) == field.value.kind.rawValue else { throw otherType(field) }
    }

    func otherType(_ field: Field) -> SchemaError {
        error(
            field,
            """
            its type differs from the type in the database. Put it back as it was. To change it, add a field of \
            another name with the new type, write its values, then set "x-removed": true on this one.
            """)
    }

    func refuseNulls(in field: Field) -> SchemaError {
        error(
            field,
            """
            rows may have null here. Allow null again. To forbid it, add a field of another name that has a default, \
            write its values, then set "x-removed": true on this one.
            """)
    }

    func lost(_ field: String) -> SchemaError {
        error(
            "/properties/\(field)",
            """
            the database has this field, but the schema does not. Put it back as it was. To remove it, set \
            "x-removed": true on it. Its values are kept until you run `tidemark schema prune`.
            """)
    }

    func needsValue(_ field: Field) -> SchemaError {
        error(field, "a new field needs a default or null as its value in existing rows")
    }

    private func error(_ field: Field, _ reason: String) -> SchemaError {
        error("/properties/\(field.name)", reason)
    }

    func error(_ pointer: String, _ reason: String) -> SchemaError {
        SchemaError(file: new.name, pointer: pointer, reason: reason)
    }

    /// Whether the field is a reference now and was none before, or refers to something else.
    func hasNewReference(_ field: Field) -> Bool {
        let before = old["properties"]?[field.name]
        let after = new.document["properties"]?[field.name]
        return ["x-ref", "x-user"].contains { after?[$0] != nil && after?[$0] != before?[$0] }
    }

    private static func kind(of schema: JSON) -> String? {
        schema["type"]?.string ?? schema["type"]?.array?.compactMap(\.string).first { $0 != "null" }
    }
}
