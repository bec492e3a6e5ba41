import SyncProtocol
import SyncSchema

/// A field as its collection's file declares it, in the terms of OpenAPI. Of the keywords with `x-` those stay that
/// tell a client something.
struct FieldSchema {
    private let field: Field
    private let declared: [String: JSON]
    private let collection: String

    init(_ field: Field, in collection: Collection) {
        self.field = field
        self.collection = collection.name
        declared = collection.document["properties"]?[field.name]?.object ?? [:]
    }

    /// Without a default, which is for new rows only.
    var json: JSON {
        var members = declared
        for keyword in ["default", "x-value", "x-author"] { members[keyword] = nil }
        // What holds although the file does not say it.
        if members["enum"] == nil { members["enum"] = field.value.allowed.map(JSON.array) }
        if field.value.hasUniqueItems { members["uniqueItems"] = true }
        if let items = members["items"], items["properties"] != nil {
            members["items"] = items.titled("\(collection)_\(field.name)_item")
        } else if members["properties"] != nil {
            members["title"] = .string("\(collection)_\(field.name)_object")
        }
        return FieldSchema.translated(.object(members))
    }

    /// With the value of a new row that does not send the field. Null is no default to fill in: a project without
    /// `calendar` gets one.
    var withDefault: JSON {
        var members = json.object ?? [:]
        if !field.isRequired, !field.fallback.isNull { members["default"] = field.fallback }
        return .object(members)
    }

    /// Of a value that is there: without null, and without what says more of the field.
    var ofValue: JSON {
        var members = (json.object ?? [:]).filter { !$0.key.hasPrefix("x-") }
        for keyword in ["readOnly", "description"] { members[keyword] = nil }
        if let types = members["type"]?.array { members["type"] = types.first { $0 != "null" } }
        members["enum"] = members["enum"]?.array.map { .array($0.filter { !$0.isNull }) }
        return .object(members)
    }

    /// In any encoding: as the collection's file says, or as WatermelonDB has it.
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

    /// What the collections' dialect means otherwise than JSON Schema does: a list of values leaves null to `type`, a
    /// pattern matches whole texts, a time has no offset.
    private static func translated(_ schema: JSON) -> JSON {
        var members = schema.object ?? [:]
        let isNullable = members["type"]?.array?.contains("null") == true
        if isNullable, let values = members["enum"]?.array, !values.contains(.null) {
            members["enum"] = .array(values + [.null])
        }
        if let pattern = members["pattern"]?.string { members["pattern"] = .string("^(?:\(pattern))$") }
        if members["format"] == "time" {
            members["format"] = nil
            members["pattern"] = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$"
        }
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
