import SyncProtocol
import SyncSchema
import SyncValues

/// A field's declaration in its collection's file, translated to OpenAPI.
/// Keywords that begin with `x-` stay if they tell a client something.
struct FieldSchema {
    private let field: Field
    private let declared: [String: JSON]
    private let collection: String

    init(_ field: Field, in collection: Collection) {
        self.field = field
        self.collection = collection.name
        declared = collection.document["properties"]?[field.name]?.object ?? [:]
    }

    /// Without `default`, which is for new rows only.
    var json: JSON {
        var members = declared
        for keyword in ["default", "x-value", "x-author"] { members[keyword] = nil }
        // Rules that hold although the file does not state them.
        if members["enum"] == nil { members["enum"] = field.value.allowed.map(JSON.array) }
        if field.value.hasUniqueItems { members["uniqueItems"] = true }
        if let items = members["items"], items["properties"] != nil {
            members["items"] = items.titled("\(collection)_\(field.name)_item")
        } else if members["properties"] != nil {
            members["title"] = .string("\(collection)_\(field.name)_object")
        }
        return FieldSchema.translated(.object(members))
    }

    /// With `default`: the value in a new row that does not send the field. A null default is left
    /// out, because the server may set another value: a project created without `calendar` gets one.
    var withDefault: JSON {
        var members = json.object ?? [:]
        if !field.isRequired, !field.fallback.isNull { members["default"] = field.fallback }
        return .object(members)
    }

    /// The schema of a value that is present: without null, and without keywords that describe the field.
    var ofValue: JSON {
        var members = (json.object ?? [:]).filter { !$0.key.hasPrefix("x-") }
        for keyword in ["readOnly", "description"] { members[keyword] = nil }
        if let types = members["type"]?.array { members["type"] = types.first { $0 != "null" } }
        members["enum"] = members["enum"]?.array.map { .array($0.filter { !$0.isNull }) }
        return .object(members)
    }

    /// In any encoding: as the collection's file declares it, or in WatermelonDB's form.
    var inAnyEncoding: JSON {
        let null: [JSON] = field.value.isNullable ? ["null"] : []
        let other: JSON? =
            switch WireEncoding.watermelondb.form(of: field) {
            case .plain: nil
            case .text: ["type": .array(["string"] + null), "description": "JSON text."]
            case .instant: ["type": .array(["integer"] + null), "description": "Epoch milliseconds."]
            case .flag: ["enum": [0, 1]]
            }
        return other.map { ["anyOf": [json, $0]] } ?? json
    }

    /// Translates what the collections' dialect defines differently from JSON Schema: its `enum` leaves null to `type`,
    /// its `pattern` matches the whole text, its times have no offset, and files have formats of their own.
    private static func translated(_ schema: JSON) -> JSON {
        var members = schema.object ?? [:]
        let isNullable = members["type"]?.array?.contains("null") == true
        if isNullable, let values = members["enum"]?.array, !values.contains(.null) {
            members["enum"] = .array(values + [.null])
        }
        if let pattern = members["pattern"]?.string {
            members["pattern"] = .string("^(?:\(pattern))$")
            members["maxLength"] = members["maxLength"] ?? .int(Int64(Pattern.impliedLength))
        }
        if members["format"] == "time" {
            members["format"] = nil
            members["pattern"] = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$"
        }
        if members["format"] == "blob" { members["pattern"] = "^[0-9a-f]{64}$" }
        if members["format"] == "byte" { members["contentEncoding"] = "base64" }
        members["items"] = members["items"].map(translated)
        members["properties"] = members["properties"]?.object.map { .object($0.mapValues(translated)) }
        return .object(members)
    }
}

extension JSON {
    fileprivate func titled(_ title: String) -> JSON {
        var members = object ?? [:]
        members["title"] = .string(title)
        return .object(members)
    }
}
