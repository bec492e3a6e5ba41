import Schemas
package import SyncProtocol
package import SyncSchema

/// Schema files to be changed; the built-in ones at first.
package struct Documents: Sendable {
    private var files: [String: [String: JSON]]

    package init() throws {
        files = [:]
        for document in BuiltInSchemas.documents {
            files[document.name] = try JSON(parsing: document.bytes).object
        }
    }

    /// The file of a collection; nil where there is none.
    package subscript(_ collection: String) -> [String: JSON]? {
        get { files[collection] }
        set { files[collection] = newValue }
    }

    /// A keyword of a collection.
    package subscript(_ collection: String, keyword keyword: String) -> JSON? {
        get { files[collection]?[keyword] }
        set { files[collection]?[keyword] = newValue }
    }

    /// A field of a collection.
    package subscript(_ collection: String, _ field: String) -> JSON? {
        get { files[collection]?["properties"]?[field] }
        set {
            var properties = files[collection]?["properties"]?.object ?? [:]
            properties[field] = newValue
            files[collection]?["properties"] = .object(properties)
        }
    }

    /// A collection of the project's, which every member may change.
    package mutating func add(_ collection: String, _ fields: [String: JSON], required: [String] = []) {
        files[collection] = [
            "$schema": "urn:tidemark:meta-schema", "title": .string(collection), "type": "object",
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"], "properties": .object(fields),
            "required": .array(required.map(JSON.string)),
        ]
    }

    package func registry() throws -> Registry {
        try Registry(documents: files.map { (name: $0.key, json: .object($0.value)) })
    }

    /// The built-in files, changed.
    package static func registry(_ change: (inout Documents) -> Void) throws -> Registry {
        var documents = try Documents()
        change(&documents)
        return try documents.registry()
    }
}
