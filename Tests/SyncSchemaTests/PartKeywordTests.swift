import SyncProtocol
import SyncSchema
import SyncValues
import Testing

/// `x-filterable` and `x-follows`: what a pull can ask for, and what comes with it.
@Suite struct PartKeywordTests {
    @Test func theBuiltInSchemaSaysWhatCanBeAskedFor() throws {
        var filterable: [String: [String]] = [:]
        for collection in try Registry.builtIn().collections {
            let names = collection.fields.filter(\.isFilterable).map(\.name)
            if !names.isEmpty { filterable[collection.name] = names }
        }
        #expect(
            filterable == [
                "projects": ["is_archived", "start_date"], "sprints": ["state"],
                "tasks": ["assignee", "is_milestone", "planned_start", "sprint", "status"],
                "risks": ["owner", "status", "task_ids"], "task_suggested_assignees": ["suggested_user"],
                "time_entries": ["entry_date"],
                "attachments": ["risk", "task"],
            ])
    }

    @Test func theBuiltInSchemaSaysWhatFollows() throws {
        let followed = try Registry.builtIn().collections.compactMap { collection in
            collection.follows.map { (collection.name, $0) }
        }
        #expect(
            Dictionary(uniqueKeysWithValues: followed) == [
                "dependencies": "successor", "sprint_retros": "sprint", "retro_action_items": "retro",
                "task_suggested_assignees": "task", "task_links": "task", "task_recurrence_rules": "task",
                "time_entries": "task", "attachments": "task",
            ])
    }

    @Test func clientsReadBothInTheServedSchema() throws {
        let registry = try Registry.builtIn()
        #expect(registry["task_links"]?.document["x-follows"] == "task")
        #expect(registry["tasks"]?.document["properties"]?["status"]?["x-filterable"] == true)
        let narrow = try registry.limitingUploads(to: ["tasks"])
        #expect(narrow["task_links"]?.follows == "task")
        #expect(narrow["risks"]?.field("owner")?.isFilterable == true)
    }

    // MARK: x-filterable

    /// The registry of the built-in files, in which risks have one more field, `f`.
    private func registry(field: [String: JSON]) throws -> Registry {
        var documents = RegistryTests.documents
        documents["risks"]!.setProperty("f", .object(field.merging(["x-filterable": true]) { own, _ in own }))
        return try RegistryTests.registry(documents)
    }

    @Test(
        arguments: [
            ["type": ["integer", "null"]], ["type": ["number", "null"]], ["type": ["boolean", "null"]],
            ["type": ["string", "null"], "format": "date"], ["type": ["string", "null"], "format": "date-time"],
            ["type": ["string", "null"], "maxLength": 255], ["type": ["string", "null"], "enum": ["a", "b"]],
            ["type": ["string", "null"], "format": "time", "maxLength": 8],
            ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]],
            ["type": ["string", "null"], "x-ref": ["collection": "tasks", "on-delete": "clear"]],
            [
                "type": "array", "items": ["type": "string"], "default": [],
                "x-ref": ["collection": "tasks", "on-delete": "clear"],
            ],
        ] as [[String: JSON]])
    func whatAnIndexHoldsCanBeAskedFor(field: [String: JSON]) throws {
        let registry = try registry(field: field)
        #expect(registry["risks"]?.field("f")?.isFilterable == true)
    }

    @Test(
        arguments: [
            ["type": ["string", "null"]], ["type": ["string", "null"], "maxLength": 256],
            ["type": ["string", "null"], "pattern": "[a-z]*"], ["type": ["string", "null"], "format": "time"],
            ["type": ["string", "null"], "enum": [.string(String(repeating: "a", count: 256))]],
            ["type": ["array", "null"]], ["type": ["object", "null"]],
            ["type": ["array", "null"], "items": ["type": "integer"]],
        ] as [[String: JSON]])
    func whatNoIndexHoldsIsRefused(field: [String: JSON]) {
        let error = #expect(throws: SchemaError.self) { try registry(field: field) }
        #expect(error?.file == "risks")
        #expect(error?.pointer == "/properties/f/x-filterable")
        #expect(error?.reason.contains("maxLength of at most 255") == true, "\(error?.reason ?? "")")
    }

    @Test func theKeywordIsABoolean() {
        let error = #expect(throws: SchemaError.self) {
            try registry(field: ["type": ["integer", "null"], "x-filterable": "yes"])
        }
        #expect(error?.pointer == "/properties/f/x-filterable")
    }

    @Test func nobodyCanAskByARemovedField() throws {
        let registry = try registry(field: ["type": ["integer", "null"], "x-removed": true])
        #expect(registry["risks"]?.field("f") == nil)
    }

    // MARK: x-follows

    private static func reference(to collection: String) -> JSON {
        ["type": ["string", "null"], "x-ref": ["collection": .string(collection), "on-delete": "cascade"]]
    }

    /// A collection whose rows follow by `up`.
    private static func follower(_ name: String, of collection: String) -> [String: JSON] {
        [
            "$schema": "urn:tidemark:meta-schema", "title": .string(name), "type": "object", "x-follows": "up",
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"],
            "properties": ["up": reference(to: collection)],
        ]
    }

    /// A change of the built-in files, and what is said about it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let file: String
        let reason: String
        let change: @Sendable (inout [String: JSON]) -> Void

        init(_ file: String, _ reason: String, _ change: @escaping @Sendable (inout [String: JSON]) -> Void) {
            self.file = file
            self.reason = reason
            self.change = change
        }

        /// A collection that follows another one.
        static func follower(of collection: String, _ reason: String) -> Mistake {
            Mistake("notes", reason) { $0 = PartKeywordTests.follower("notes", of: collection) }
        }

        var testDescription: String { "\(file): \(reason)" }
    }

    @Test(arguments: [
        Mistake("risks", "there is no field boat") { $0["x-follows"] = "boat" },
        Mistake("risks", "must be one reference") { $0["x-follows"] = "status" },
        Mistake("risks", "must be one reference") { $0["x-follows"] = "owner" },
        Mistake("risks", "not a list") { $0["x-follows"] = "task_ids" },
        Mistake("risks", "must be a string") { $0["x-follows"] = ["task_ids"] },
        Mistake("tasks", "its own collection") { $0["x-follows"] = "parent" },
        Mistake("projects", "follow nothing") { $0["x-follows"] = "calendar" },
        Mistake("memberships", "follow nothing") { $0["x-follows"] = "user" },
        Mistake("task_links", "task is removed") { links in
            let task = links["properties"]?["task"]?.object ?? [:]
            links.setProperty("task", .object(task.merging(["x-removed": true]) { $1 }))
        },
        Mistake("retro_action_items", "not every member sees sprint_retros") { $0["x-visibility"] = nil },
        .follower(of: "sprint_retros", "\"inherit\": \"up\""),
        .follower(of: "retro_action_items", "not every member sees retro_action_items"),
        .follower(of: "time_entries", "not every member sees time_entries"),
        .follower(of: "projects", "with its project anyway"),
    ])
    func whatCantBeFollowedIsRefused(mistake: Mistake) {
        var documents = RegistryTests.documents
        mistake.change(&documents[mistake.file, default: [:]])
        let error = #expect(throws: SchemaError.self) { try RegistryTests.registry(documents) }
        #expect(error?.file == mistake.file)
        #expect(error?.pointer == "/x-follows")
        #expect(error?.reason.contains(mistake.reason) == true, "\(error?.reason ?? "")")
    }

    @Test func aRowFollowsOverThreeReferencesAtMost() throws {
        var documents = RegistryTests.documents
        for (name, target) in [("aa", "tasks"), ("bb", "aa"), ("cc", "bb")] {
            documents[name] = Self.follower(name, of: target)
        }
        #expect(try RegistryTests.registry(documents)["cc"]?.follows == "up")
        documents["dd"] = Self.follower("dd", of: "cc")
        let error = #expect(throws: SchemaError.self) { try RegistryTests.registry(documents) }
        #expect(error?.file == "dd")
        #expect(error?.pointer == "/x-follows")
        #expect(error?.reason.contains("dd → cc → bb → aa → tasks") == true, "\(error?.reason ?? "")")
    }
}
