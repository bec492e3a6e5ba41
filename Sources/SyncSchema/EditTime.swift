import SyncProtocol

/// The field `modified_at`, in which clients say when they edited a row, for `on_conflict=newest`. Every uploadable
/// collection has it, even if its file does not name it.
enum EditTime {
    static let name = "modified_at"

    private static let schema: JSON = [
        "type": ["string", "null"], "format": "date-time", "default": nil,
        "description": "The client's edit time, for on_conflict=newest.",
    ]

    /// The document with the field, if the collection needs it and the file does not name it.
    static func added(to document: JSON) -> JSON {
        let isUploadable =
            document["x-scope"] == "project"
            ? document["x-uploadable-user-wide"] != false : document["x-uploadable"] == true
        guard isUploadable, document["properties"]?[name] == nil, var members = document.object,
            var properties = members["properties"]?.object
        else { return document }
        properties[name] = schema
        members["properties"] = .object(properties)
        return .object(members)
    }

    /// The field, if it can hold an edit time.
    static func field(in fields: [Field]) -> Field? {
        fields.first { $0.name == name && $0.value.format == .dateTime && !$0.isServerOwned }
    }
}
