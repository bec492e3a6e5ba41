import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// An app may have a column before the server does.
@Suite struct NewFieldTests {
    @Test(arguments: ReopenedDatabase.Engine.allCases)
    func rowsComeAgainOfWhichAnInboxHasTheFieldThatTheSchemaGains(engine: ReopenedDatabase.Engine) async throws {
        let database = try ReopenedDatabase(engine)
        var documents = try Documents()
        var store = try database.open(documents)
        let bench = try await Workbench(store, documents.registry())
        try await bench.edit { editor in
            for id in ["t1", "t2"] { try editor.insert("tasks", id, ["name": "T"]) }
        }
        let row: JSON = ["id": "t1", "colour": "red", "_changed": "colour"]
        _ = try await bench.upload(["updated": [row]], batch: "5f1b0a54-6c1b-4b0e-9c0e-0b8c3e1d7a11")
        var head = try await store.read { try $0.project("p1")!.head }
        try store.close()
        for colour in [nil, ["type": ["string", "null"], "default": nil], nil] as [JSON?] {
            if let colour { documents["tasks", "colour"] = colour }
            store = try database.open(documents)
            let rows = try await store.read { [registry = try documents.registry(), head] in
                try $0.records(in: registry["tasks"]!, project: "p1").filter { $0.seq > head }
            }
            #expect(rows.map(\.id) == (colour == nil ? [] : ["t1"]), "once, and only where the field is new")
            head = try await store.read { try $0.project("p1")!.head }
            try store.close()
            try database.check()
        }
    }

    /// A phone that had the column has its own empty value in each row.
    @Test(
        arguments: ReopenedDatabase.Engine.allCases,
        [
            (["type": "string", "default": "red"], ["t1", "t2"]), (["type": "integer", "default": 3], ["t1", "t2"]),
            (["type": "boolean", "default": true], ["t1", "t2"]), (["type": "array", "default": []], ["t1", "t2"]),
            (["type": ["string", "null"], "default": "red"], ["t1", "t2"]),
            (["type": "string", "default": ""], []), (["type": "number", "default": 0], []),
            (["type": "boolean", "default": false], []), (["type": ["integer", "null"], "default": nil], []),
        ] as [(schema: JSON, rows: [String])])
    func rowsComeAgainOnceIfTheDefaultIsNotWhatAPhoneHas(
        engine: ReopenedDatabase.Engine, field: (schema: JSON, rows: [String])
    ) async throws {
        let database = try ReopenedDatabase(engine)
        var documents = try Documents()
        var store = try database.open(documents)
        let bench = try await Workbench(store, documents.registry())
        try await bench.edit { editor in
            for id in ["t1", "t2", "gone"] { try editor.insert("tasks", id, ["name": "T"]) }
            try editor.insert("risks", "r", ["title": "R", "probability": 1, "impact": 1])
        }
        try await bench.edit { try $0.delete("tasks", "gone") }
        var head = try await store.read { try $0.project("p1")!.head }
        try store.close()
        documents["tasks", "colour"] = field.schema
        for expected in [field.rows, []] {
            store = try database.open(documents)
            let rows = try await store.read { [registry = try documents.registry(), head] transaction in
                try ["tasks", "risks"].flatMap { name in
                    try transaction.records(in: registry[name]!, project: "p1").filter { $0.seq > head }
                }
            }
            #expect(rows.map(\.id).sorted() == expected && rows.allSatisfy { $0.version == .first })
            head = try await store.read { try $0.project("p1")!.head }
            try store.close()
            try database.check()
        }
    }
}
