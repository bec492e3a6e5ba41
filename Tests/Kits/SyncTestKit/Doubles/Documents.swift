import Schemas
package import SyncProtocol
package import SyncSchema

/// Schema files that a test can change. They start as the built-in ones.
package struct Documents: Sendable {
    private var files: [String: [String: JSON]]

    package init() throws {
        files = [:]
        for document in BuiltInSchemas.documents {
            files[document.name] = try JSON(parsing: document.bytes).object
        }
    }

    /// The schema file of a collection; nil when there is none.
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

    /// Adds a collection with rows that every member of the project may change.
    package mutating func add(_ collection: String, _ fields: [String: JSON], required: [String] = []) {
        files[collection] = [
            "$schema": "urn:tidemark:meta-schema", "title": .string(collection), "type": "object",
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"], "properties": .object(fields),
            "required": .array(required.map(JSON.string)),
        ]
    }

    /// The registry of the files. Throws `SchemaError` when they are not valid.
    package func registry() throws -> Registry {
        try Registry(documents: files.map { (name: $0.key, json: .object($0.value)) })
    }

    /// A registry of the built-in files with a change.
    package static func registry(_ change: (inout Documents) -> Void) throws -> Registry {
        var documents = try Documents()
        change(&documents)
        return try documents.registry()
    }
}
