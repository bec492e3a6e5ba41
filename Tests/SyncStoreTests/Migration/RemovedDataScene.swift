import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// A database with a collection `notes` with rows, one of which was edited.
struct RemovedDataScene {
    let database: ReopenedDatabase
    let documents: Documents
    let head: SyncSeq
    let owner: Caller

    init(_ engine: ReopenedDatabase.Engine) async throws {
        database = try ReopenedDatabase(engine)
        var documents = try Documents()
        documents.add(
            "notes",
            [
                "text": ["type": "string"], "about": Self.reference, "tags": Self.list, "colour": Self.colour,
                "flag": ["type": ["boolean", "null"], "default": nil],
            ], required: ["text"])
        self.documents = documents
        let store = try database.open(documents)
        let bench = try await Workbench(store, documents.registry())
        try await bench.edit { editor in
            try editor.insert("tasks", "t", ["name": "T"])
            try editor.insert(
                "notes", "a", ["text": "one", "about": "t", "tags": ["t"], "colour": "blue", "flag": true])
            try editor.insert("notes", "b", ["text": "two"])
        }
        try await bench.edit { try $0.update("notes", "a", ["text": "three", "colour": "green"]) }
        head = try await store.read { try $0.project("p1")!.head }
        owner = bench.caller(.owner)
        try store.close()
    }

    private static let reference: JSON = [
        "type": ["string", "null"], "default": nil, "x-ref": ["collection": "tasks", "on-delete": "cascade"],
    ]
    private static let list: JSON = [
        "type": "array", "items": ["type": "string"], "default": [],
        "x-ref": ["collection": "tasks", "on-delete": "clear"],
    ]
    private static let colour: JSON = ["type": "string", "default": "red"]
    static let fields = ["text", "about", "tags", "colour", "flag"]

    func removing(_ fields: [String]) -> Documents {
        var documents = documents
        for field in fields {
            var members = documents["notes", field]?.object ?? [:]
            members["x-removed"] = true
            documents["notes", field] = .object(members)
        }
        return documents
    }

    /// The files without any mention of the fields.
    func without(_ fields: [String]) -> Documents {
        var documents = documents
        for field in fields { documents["notes", field] = nil }
        if fields.contains("text") { documents["notes", keyword: "required"] = [] }
        return documents
    }

    func open(_ documents: Documents, isServer: Bool = true) throws -> EngineStore {
        try database.open(documents, isServer: isServer)
    }

    func note(_ id: String, _ store: EngineStore) async throws -> JSON {
        let notes = store.registry["notes"]!
        return try #require(try await store.read { try $0.record(RowKey("notes", id)) }).json(in: notes)
    }

    func withoutNotes(isNamed: Bool) -> Documents {
        var documents = documents
        if isNamed { documents["notes", keyword: "x-removed"] = true } else { documents["notes"] = nil }
        return documents
    }

    func drainedNothing(since: Int64) async throws -> Bool {
        let store = try open(documents)
        let drained = try await Drained(store, store.registry, project: "p1", since: SyncSeq(since), by: owner)
        return drained.rows.isEmpty && drained.deleted.isEmpty
    }
}
