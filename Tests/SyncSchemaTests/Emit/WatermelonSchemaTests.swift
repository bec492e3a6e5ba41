import SyncProtocol
import SyncSchema
import SyncValues
import Testing

@Suite struct WatermelonSchemaTests {
    /// Has every kind of field that WatermelonDB stores in its own way.
    static let boats: JSON = [
        "$schema": "urn:tidemark:meta-schema", "title": "boats", "description": "What floats.\nMostly.",
        "type": "object",
        "x-order": 9, "x-uploadable": true, "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"],
        "required": ["name"],
        "properties": [
            "name": ["type": "string", "description": "As painted on. */ alert(1)"],
            "built": ["type": ["string", "null"], "format": "date"],
            "created_at": ["type": "string", "format": "date-time", "readOnly": true, "x-value": "created-at"],
            "seen_at": ["type": ["string", "null"], "format": "date-time"],
            "length": ["type": "number", "default": 5.5], "crew": ["type": ["integer", "null"]],
            "kind": ["type": "string", "enum": ["sail", "motor"], "default": "sail"],
            "berths": ["type": "integer", "enum": [2, 4], "default": 2],
            "is_afloat": ["type": "boolean", "default": true],
            "task": ["type": ["string", "null"], "x-ref": ["collection": "tasks", "on-delete": "clear"]],
            "risks": [
                "type": "array", "default": [], "items": ["type": "string"],
                "x-ref": ["collection": "risks", "on-delete": "clear"],
            ],
            "skipper": ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]],
            "log": [
                "type": "array", "default": [],
                "items": [
                    "type": "object", "required": ["at"],
                    "properties": ["at": ["type": "string", "format": "date"], "text": ["type": ["string", "null"]]],
                ],
            ],
        ],
    ]

    static func registry(_ change: (inout [String: JSON]) -> Void = { _ in }) throws -> Registry {
        var documents = RegistryTests.documents
        var boats = boats.object ?? [:]
        change(&boats)
        documents["boats"] = boats
        return try RegistryTests.registry(documents)
    }

    @Test func columnsHaveTheTypesOfTheWireAndReferencesAnIndex() throws {
        let text = try WatermelonSchema(WatermelonSchemaTests.registry()).text
        #expect(
            text.contains(
                """
                  // What floats. Mostly.
                  tableSchema({
                    name: 'boats',
                    columns: [
                      { name: 'server_version', type: 'number' },
                      { name: 'berths', type: 'number' },
                      { name: 'built', type: 'string', isOptional: true },
                      { name: 'created_at', type: 'number' },
                      { name: 'crew', type: 'number', isOptional: true },
                      { name: 'is_afloat', type: 'boolean' },
                      { name: 'kind', type: 'string' },
                      { name: 'length', type: 'number' },
                      { name: 'log', type: 'string' },
                      { name: 'modified_at', type: 'number', isOptional: true },
                      { name: 'name', type: 'string' },
                      { name: 'risks', type: 'string' },
                      { name: 'seen_at', type: 'number', isOptional: true },
                      { name: 'skipper', type: 'number', isOptional: true },
                      { name: 'task', type: 'string', isOptional: true, isIndexed: true },
                    ],
                  }),

                """))
    }

    @Test func everyBuiltInCollectionAndFieldComesOut() throws {
        let registry = try Registry.builtIn()
        let text = try WatermelonSchema(registry).text
        #expect(registry.collections.count == 14)
        for collection in registry.collections { #expect(text.contains("name: '\(collection.name)',\n")) }
        let columns = text.matches(of: /(?m)^      \{ name: '(\w+)', type: '(string|number|boolean)'/)
        #expect(columns.count == registry.collections.map { $0.fields.count + 1 }.reduce(0, +))
    }

    @Test func aDatabaseOfAllProjectsHasTheProjectInEveryTableWithAnIndex() throws {
        let registry = try WatermelonSchemaTests.registry()
        let text = try WatermelonSchema(registry, allProjects: true).text
        let column = "      { name: 'project_id', type: 'string', isIndexed: true },\n"
        #expect(text.ranges(of: column).count == registry.collections.count)
        #expect(text.hasPrefix("// Made by `tidemark schema --format watermelondb --all-projects` of"))
        let plain = text.replacing(column, with: "").replacing(" --all-projects", with: "")
        #expect(try plain == WatermelonSchema(registry).text)
    }

    /// Otherwise WatermelonDB refuses the whole schema, but only in development builds.
    @Test(
        arguments: [
            ("created_at", ["type": "string"]), ("updated_at", ["type": ["string", "null"], "format": "date-time"]),
            ("last_modified", ["type": "string", "format": "date"]),
        ] as [(String, JSON)])
    func aNameThatIsForNumbersIsRefusedForAnythingElse(name: String, field: JSON) throws {
        let registry = try WatermelonSchemaTests.registry { boats in
            var properties = boats["properties"]?.object ?? [:]
            properties[name] = field
            boats["properties"] = .object(properties)
            boats["required"] = ["name", .string(name)]
        }
        let error = #expect(throws: SchemaError.self) { try WatermelonSchema(registry) }
        #expect(error?.pointer == "/properties/\(name)")
    }
}
