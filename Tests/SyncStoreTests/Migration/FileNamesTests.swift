import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// Fields begin to name files, and stop.
@Suite struct FileNamesTests {
    private static let digest = String(repeating: "a", count: 64)
    private static let text: JSON = ["type": ["string", "null"], "default": nil]
    private static let blob: JSON = ["type": ["string", "null"], "default": nil, "format": "blob"]
    private static let removed: JSON = [
        "type": ["string", "null"], "default": nil, "format": "blob", "x-removed": true,
    ]

    /// A database from before there were files, and one whose field was a text.
    @Test(arguments: ReopenedDatabase.Engine.allCases)
    func namesFollowTheSchema(engine: ReopenedDatabase.Engine) async throws {
        let database = try ReopenedDatabase(engine)
        var documents = try Documents()
        documents["attachments"] = nil
        documents["tasks", "photo"] = Self.text
        var store = try database.open(documents)
        let bench = try await Workbench(store, documents.registry())
        try await bench.edit { editor in
            for id in ["t1", "t2"] { try editor.insert("tasks", id, ["name": "T", "photo": .string(Self.digest)]) }
            try editor.insert("tasks", "t3", ["name": "T", "photo": "a.jpg"])
        }
        try await bench.edit { try $0.delete("tasks", "t2") }
        let author = bench.caller(.owner).userID
        #expect(try await names(store) == [])
        try store.close()

        documents = try Documents()
        documents["tasks", "photo"] = Self.blob
        store = try database.open(documents)
        let name = NamedFile(
            digest: Self.digest, key: RowKey("tasks", "t1"), field: "photo", setBy: author, isStored: false)
        #expect(try await names(store) == [name])
        // What is stored stays so at the next start, and what has gone meanwhile goes.
        try await store.write { transaction in
            try transaction.add(
                StoredFile(project: "p1", digest: Self.digest, size: 3, place: "ab/c", unnamedSince: nil))
            try transaction.name([name.stored], in: "p1")
        }
        try store.close()
        documents["tasks", "photo"] = Self.removed
        store = try database.open(documents)
        try store.close()
        documents["tasks", "photo"] = Self.blob
        store = try database.open(documents)
        #expect(try await names(store) == [name.stored])
        try store.close()
        try database.check()
    }

    private func names(_ store: EngineStore) async throws -> [NamedFile] {
        try await store.read { transaction in
            try [false, true].flatMap {
                try transaction.namedFiles(Self.digest, of: "p1", isStored: $0, after: nil, limit: 10)
            }
        }
    }
}

extension NamedFile {
    fileprivate var stored: NamedFile {
        NamedFile(digest: digest, key: key, field: field, setBy: setBy, isStored: true)
    }
}
