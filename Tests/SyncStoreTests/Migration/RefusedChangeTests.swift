import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import SyncValues
import Testing

/// Changes that existing rows can't follow. Each is refused with the way there, and leaves the database as it was.
@Suite struct RefusedChangeTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let place: String
        let words: String
        let change: @Sendable (inout Documents) -> Void
    }

    private static let optional: JSON = ["type": ["string", "null"], "default": nil, "maxLength": 100]

    private static let all = [
        Refusal(testDescription: "another column type", place: "/properties/name", words: "add a field of another name")
        {
            $0["notes", "name"] = ["type": "integer", "default": 0]
        },
        Refusal(
            testDescription: "another kind of text", place: "/properties/name", words: "add a field of another name"
        ) {
            $0["notes", "name"] = ["type": "array", "default": []]
        },
        Refusal(
            testDescription: "a number for an integer", place: "/properties/count", words: "add a field of another name"
        ) {
            $0["notes", "count"] = ["type": "number", "default": 0]
        },
        Refusal(
            testDescription: "a flag for an integer", place: "/properties/count", words: "add a field of another name"
        ) {
            $0["notes", "count"] = ["type": "boolean", "default": false]
        },
        Refusal(testDescription: "null no more", place: "/properties/colour", words: "that has a default") {
            $0["notes", "colour"] = ["type": "string", "default": ""]
        },
        Refusal(testDescription: "a new field without a value", place: "/properties/new", words: "a default or null") {
            $0["notes", "new"] = ["type": "string"]
            $0["notes", keyword: "required"] = ["new"]
        },
        Refusal(testDescription: "another visibility", place: "/x-visibility", words: "tidemark export") {
            $0["notes", keyword: "x-visibility"] = ["gate": ["field": "name", "value": "secret", "role": "MEMBER"]]
        },
        Refusal(testDescription: "a key that rows don't keep", place: "/x-unique/0", words: "a, c (project p1)") {
            $0["notes", keyword: "x-unique"] = [["fields": ["name"]]]
        },
        Refusal(
            testDescription: "a key of some rows", place: "/x-unique/1", words: "same name, count: a, c (project p1)."
        ) {
            $0["notes", keyword: "x-unique"] = [
                ["fields": ["colour"]], ["fields": ["name", "count"], "where": ["count": 1]],
            ]
        },
        Refusal(testDescription: "a project that refers to nothing", place: "/properties/topic", words: "allow null") {
            $0["projects", "topic"] = [
                "type": "string", "x-ref": ["collection": "notes", "on-delete": "restrict"],
            ]
            $0["projects", keyword: "required"] = ["name", "start_date", "topic"]
        },
    ]

    @Test(arguments: all, ReopenedDatabase.Engine.allCases)
    func whatRowsCannotFollowIsRefusedWithTheWayThere(
        refusal: Refusal, engine: ReopenedDatabase.Engine
    ) async throws {
        let database = try ReopenedDatabase(engine)
        var documents = try Documents()
        documents.add(
            "notes",
            [
                "name": ["type": "string", "default": "", "maxLength": 100],
                "count": ["type": "integer", "default": 0], "colour": Self.optional,
            ])
        documents["projects", "topic"] = ["type": "string", "default": "none"]
        let store = try database.open(documents)
        let bench = try await Workbench(store, documents.registry())
        try await bench.edit { editor in
            for (id, name) in [("a", "x"), ("b", "y"), ("c", "x")] {
                try editor.insert("notes", id, ["name": .string(name), "count": 1])
            }
        }
        // Otherwise a store on PostgreSQL may number the commits later.
        _ = try await store.read { try $0.newestNumber() }
        try store.close()
        let before = try database.content()
        var changed = documents
        refusal.change(&changed)
        let error = #expect(throws: SchemaError.self) { try database.open(changed) }
        #expect(error?.pointer == refusal.place)
        #expect(error?.reason.contains(refusal.words) == true, "\(error?.reason ?? "")")
        let after = try database.content()
        #expect(after == before)
        try database.open(documents).close()
        try database.check()
    }
}
