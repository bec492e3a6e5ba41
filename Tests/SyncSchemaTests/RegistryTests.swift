import Foundation
import Schemas
import SyncProtocol
import SyncSchema
import SyncValues
import Testing

@Suite struct RegistryTests {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    @Test func drainOrderPutsParentsFirst() throws {
        let names = try Registry.builtIn().collections.map(\.name)
        #expect(
            names == [
                "projects", "calendars", "memberships", "sprints", "tasks", "dependencies", "risks", "sprint_retros",
                "retro_action_items", "task_suggested_assignees", "task_links", "task_recurrence_rules", "time_entries",
                "attachments",
            ])
    }

    @Test func everyFileOfTheFolderIsEmbedded() throws {
        let folder = RegistryTests.repository.appending(path: "Schemas/collections")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        #expect(files == BuiltInSchemas.documents.map { $0.name + ".json" }.sorted())
        let version = try Registry(folder: folder).version
        #expect(try Registry.builtIn().version == version)
    }

    @Test func everyCollectionButProjectsAndMembershipsCanBeUploaded() throws {
        let others = try Registry.builtIn().collections.filter { !$0.isUploadable }
        #expect(others.map(\.name) == ["projects", "memberships"])
    }

    @Test func tasksHaveTheFieldsOfTheContract() throws {
        let fields = Set(try Registry.builtIn()["tasks"]!.fields.map(\.name))
        let expected = """
            short_id project parent name wbs_path rank status duration percent_complete notes planned_start \
            early_start early_finish scheduled_start late_start late_finish total_float free_float is_critical \
            is_milestone actual_start actual_finish optimistic_duration most_likely_duration pessimistic_duration \
            is_subtask sprint assignee modified_at
            """
        #expect(fields == Set(expected.split(separator: " ").map(String.init)))
    }

    @Test func theVersionChangesWithAnyDocument() throws {
        var documents = RegistryTests.documents
        documents["risks"]!["description"] = "Another sentence."
        #expect(try Registry.builtIn().version != RegistryTests.registry(documents).version)
    }

    /// A change of the schema of risks, and where its mistake is reported.
    struct Mistake: Sendable {
        let place: String
        let change: @Sendable (inout [String: JSON]) -> Void

        init(_ place: String, _ change: @escaping @Sendable (inout [String: JSON]) -> Void) {
            self.place = place
            self.change = change
        }

        /// A change that sets this schema for the field `title`.
        static func title(_ place: String, _ schema: JSON) -> Mistake {
            Mistake("/properties/title" + place) { $0.setProperty("title", schema) }
        }
    }

    @Test(arguments: [
        Mistake("/x-colour") { $0["x-colour"] = "red" },
        Mistake("/x-roles") { $0["x-roles"] = nil },
        Mistake("/x-roles/create") { $0["x-roles"] = ["create": "KING", "update": "OWNER", "delete": "OWNER"] },
        Mistake("/required") { $0["required"] = ["title", "probability", "impact", "colour"] },
        Mistake("/title") { $0["title"] = "boats" },
        Mistake("/properties/sync_seq") { $0.setProperty("sync_seq", ["type": "integer"]) },
        .title("/type", ["type": "text"]),
        .title("/format", ["type": "string", "format": "email"]),
        .title("/minLength", ["type": "string", "minLength": 1]),
        .title("/default", ["type": "integer", "default": "x"]),
        .title("/pattern", ["type": "string", "pattern": "("]),
        .title("/pattern", ["type": "string", "pattern": "(a)\\1"]),
        .title("/items/pattern", ["type": "array", "default": [], "items": ["type": "string", "pattern": "a(?=b)"]]),
        .title("/maxLength", ["type": "string", "maxLength": -1]),
        .title("/maxItems", ["type": "array", "default": [], "maxItems": -1]),
        .title("/x-ref", ["type": "string", "x-ref": ["collection": "boats", "on-delete": "clear"]]),
    ])
    func whatIsNotUnderstoodIsRefusedWithItsPlace(mistake: Mistake) throws {
        var documents = RegistryTests.documents
        mistake.change(&documents["risks"]!)
        let error = #expect(throws: SchemaError.self) { try RegistryTests.registry(documents) }
        #expect(error?.file == "risks")
        #expect(error?.pointer == mistake.place)
    }

    @Test func referencesInACircleAreRefused() throws {
        var documents = RegistryTests.documents
        documents["sprints"]!.setProperty(
            "first_task", ["type": ["string", "null"], "x-ref": ["collection": "tasks", "on-delete": "clear"]])
        #expect(throws: SchemaError.self) { try RegistryTests.registry(documents) }
    }

    static var documents: [String: [String: JSON]] {
        Dictionary(
            uniqueKeysWithValues: BuiltInSchemas.documents.map {
                ($0.name, (try? JSON(parsing: $0.bytes))?.object ?? [:])
            })
    }

    static func registry(_ documents: [String: [String: JSON]]) throws -> Registry {
        try Registry(documents: documents.map { ($0.key, .object($0.value)) })
    }
}

extension [String: JSON] {
    mutating func setProperty(_ name: String, _ schema: JSON) {
        var properties = self["properties"]?.object ?? [:]
        properties[name] = schema
        self["properties"] = .object(properties)
    }
}
