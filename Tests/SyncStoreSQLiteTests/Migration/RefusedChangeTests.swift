import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

@testable import SyncStoreSQLite

/// Changes that existing rows can't follow. Each is refused with the way to get there, and leaves the file as it was.
@Suite struct RefusedChangeTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let place: String
        let words: String
        let change: @Sendable (inout Documents) -> Void
    }

    private static let optional: JSON = ["type": ["string", "null"], "default": nil]

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

    /// Every table, with its definition and its rows.
    private func content(of path: String) throws -> [String: [Row]] {
        try DatabaseQueue(path: path).read { db in
            let tables = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    let name: String = table["name"]
                    return (
                        "\(name): \(table["sql"] as String? ?? "")",
                        try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"")
                    )
                })
        }
    }

    @Test(arguments: all) func whatRowsCannotFollowIsRefusedWithTheWayThere(refusal: Refusal) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("t.db")
        var documents = try Documents()
        documents.add(
            "notes",
            [
                "name": ["type": "string", "default": ""], "count": ["type": "integer", "default": 0],
                "colour": Self.optional,
            ])
        documents["projects", "topic"] = ["type": "string", "default": "none"]
        let store = try SQLiteStore(path: path, registry: documents.registry(), opener: .server, mender: DraftMender())
        let bench = try await Workbench(store, documents.registry())
        try await bench.edit { editor in
            for (id, name) in [("a", "x"), ("b", "y"), ("c", "x")] {
                try editor.insert("notes", id, ["name": .string(name), "count": 1])
            }
        }
        try store.close()
        let before = try content(of: path)
        var changed = documents
        refusal.change(&changed)
        let error = #expect(throws: SchemaError.self) {
            try SQLiteStore(path: path, registry: changed.registry(), opener: .server, mender: DraftMender())
        }
        #expect(error?.pointer == refusal.place)
        #expect(error?.reason.contains(refusal.words) == true, "\(error?.reason ?? "")")
        let after = try content(of: path)
        #expect(after == before)
        try SQLiteStore(path: path, registry: documents.registry(), opener: .server, mender: DraftMender()).close()
        #expect(try DatabaseCheck(path: path).run().isSound)
    }
}
