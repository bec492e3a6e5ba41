import Foundation
import GRDB
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// What `x-removed` leaves in the file, how it comes back, and how it is removed for good.
@Suite struct RemovedDataTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("t.db") }
    private let documents: Documents
    private let head: SyncSeq
    private let owner: Caller

    /// A collection `notes` with rows, one of which was edited, and with its own unique key.
    init() async throws {
        folder = try TemporaryFolder()
        var documents = try Documents()
        documents.add(
            "notes",
            [
                "text": ["type": "string"], "about": Self.reference, "tags": Self.list, "colour": Self.colour,
                "flag": ["type": ["boolean", "null"], "default": nil],
            ], required: ["text"])
        self.documents = documents
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: documents.registry(), opener: .server, mender: DraftMender())
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
    private static let fields = ["text", "about", "tags", "colour", "flag"]

    private func removing(_ fields: [String]) -> Documents {
        var documents = documents
        for field in fields {
            var members = documents["notes", field]?.object ?? [:]
            members["x-removed"] = true
            documents["notes", field] = .object(members)
        }
        return documents
    }

    /// The files without any mention of the fields.
    private func without(_ fields: [String]) -> Documents {
        var documents = documents
        for field in fields { documents["notes", field] = nil }
        if fields.contains("text") { documents["notes", keyword: "required"] = [] }
        return documents
    }

    private func open(_ documents: Documents, as opener: SQLiteStore.Opener = .server) throws -> SQLiteStore {
        try SQLiteStore(path: path, registry: documents.registry(), opener: opener, mender: DraftMender())
    }

    private func note(_ id: String, _ store: SQLiteStore) async throws -> JSON {
        let notes = store.registry["notes"]!
        return try #require(try await store.read { try $0.record(RowKey("notes", id)) }).json(in: notes)
    }

    private func columns(of table: String = "notes") throws -> [String] {
        try DatabaseQueue(path: path).read { try $0.columns(in: table).map(\.name) }
    }

    private func hasTable(_ name: String) throws -> Bool {
        try DatabaseQueue(path: path).read { try $0.tableExists(name) }
    }

    private func check() throws {
        let report = try DatabaseCheck(path: path).run()
        #expect(report.isSound, "\(report.text)")
    }

    @Test func aFileStartsWithTheEntryAndWithoutItBeforeAndAfterAPrune() async throws {
        let removed = removing(Self.fields)
        try open(removed).close()
        for _ in 0..<2 {
            for documents in [removed, without(Self.fields), removed] {
                let store = try open(documents)
                #expect(try await note("a", store) == ["id": "a", "server_version": 2])
                try store.close()
                try check()
                try open(documents, as: .guest).close()
            }
            let store = try open(removed, as: .guest)
            _ = try await store.prune()
            try store.close()
        }
        #expect(try Set(columns()).isDisjoint(with: Self.fields))
    }

    @Test func aFieldThatIsGoneWithoutAWordIsRefusedWithWhatToDo() throws {
        let error = #expect(throws: SchemaError.self) { try open(without(["colour"])) }
        #expect(error?.pointer == "/properties/colour")
        #expect(error?.reason.contains("\"x-removed\": true") == true)
        try open(documents).close()
    }

    @Test func aFieldComesBackWithItsValues() async throws {
        try open(removing(Self.fields)).close()
        var store = try open(without(Self.fields))
        let bench = try await Workbench(store, store.registry, project: "p2")
        try await bench.edit { try $0.insert("notes", "new", [:]) }
        try store.close()
        let error = #expect(throws: SchemaError.self) { try open(self.documents) }
        #expect(error?.pointer == "/properties/text")
        var documents = documents
        documents["notes", "text"] = ["type": "string", "default": "none"]
        store = try open(documents)
        let expected: JSON = [
            "id": "a", "server_version": 2, "text": "three", "about": "t", "tags": ["t"], "colour": "green",
            "flag": true,
        ]
        #expect(try await note("a", store) == expected)
        let new: JSON = [
            "id": "new", "server_version": 1, "text": "none", "about": nil, "tags": [], "colour": "red",
            "flag": nil,
        ]
        #expect(try await note("new", store) == new)
        try store.close()
        try check()
    }

    @Test func aReferenceThatDiedMeanwhileComesBackAsNull() async throws {
        try open(removing(Self.fields)).close()
        var store = try open(without(Self.fields))
        let registry = store.registry
        let items = ItemService(store: store, registry: registry, clock: .system, retention: .seconds(60))
        try await items.delete("t", in: registry["tasks"]!, if: .none, by: owner)
        _ = try await PurgeService(store: store, registry: registry, clock: .system).purge(olderThan: .zero)
        try store.close()
        store = try open(documents)
        #expect(store.mendingAtOpening == SchemaChange.mending(changed: 1))
        let row = try await note("a", store)
        #expect(row["about"] == .null && row["tags"] == [] && row["server_version"] == 3)
        try store.close()
        try check()
    }

    @Test func aFieldComesBackWithItsTypeOnly() throws {
        try open(removing(["colour"])).close()
        var documents = documents
        documents["notes", "colour"] = ["type": "array", "default": []]
        let error = #expect(throws: SchemaError.self) { try open(documents) }
        #expect(error?.pointer == "/properties/colour")
    }

    @Test func aPruneTakesValuesFromTheHistoryToo() async throws {
        let store = try open(removing(["colour"]))
        try await store.pool.write {
            try $0.execute(
                sql: """
                    INSERT INTO tidemark_inbox VALUES
                      (1, 'p1', 1, 'notes', 'a', 'colour', 'conflict', '"pink"', '"red"', NULL, 0),
                      (2, 'p1', 1, 'notes', 'a', NULL, 'conflict', '{"colour":"pink","text":"x"}', 'null', NULL, 0)
                    """)
        }
        let report = try await store.prune()
        #expect(report == PruneReport(fields: ["notes.colour"]))
        let (changes, inbox) = try await store.pool.read { db in
            (
                try String.fetchAll(db, sql: "SELECT replaced FROM tidemark_changes WHERE collection = 'notes'"),
                try String.fetchAll(db, sql: "SELECT sent FROM tidemark_inbox")
            )
        }
        #expect(changes == [#"{"text":"one"}"#] && inbox == [#"{"text":"x"}"#])
        #expect(try await store.prune() == PruneReport())
        try store.close()
        try check()
    }

    @Test func aServerGoesOnWhileACommandPrunes() async throws {
        let server = try open(removing(Self.fields))
        let items = ItemService(
            store: server, registry: server.registry, clock: WallClock { Workbench<SQLiteStore>.noon },
            retention: .seconds(60))
        _ = try await note("a", server)
        let guest = try open(without(Self.fields), as: .guest)
        #expect(try await guest.prune().fields.count == 5)
        try guest.close()
        #expect(try await note("a", server)["id"] == "a")
        let made = try await items.create([:], in: server.registry["notes"]!, of: "p1", key: nil, by: owner)
        #expect(made.version == ServerVersion(1))
        try server.close()
        try check()
    }

    // MARK: Collections

    private func withoutNotes(isNamed: Bool) -> Documents {
        var documents = documents
        if isNamed { documents["notes", keyword: "x-removed"] = true } else { documents["notes"] = nil }
        return documents
    }

    @Test func aCollectionStaysUntilAPruneAndTheFileStartsWithoutIt() async throws {
        let error = #expect(throws: SchemaError.self) { try open(withoutNotes(isNamed: false)) }
        #expect(error?.reason.contains("\"x-removed\": true") == true)
        for isNamed in [true, false, true] { try open(withoutNotes(isNamed: isNamed)).close() }
        #expect(try !columns().isEmpty)
        let store = try open(withoutNotes(isNamed: false))
        #expect(try await store.prune() == PruneReport(collections: ["notes"], rows: 2))
        try store.close()
        #expect(try !hasTable("notes"))
        for isNamed in [true, false, true] { try open(withoutNotes(isNamed: isNamed)).close() }
        try check()
        try open(documents).close()
        try check()
    }

    @Test func aCollectionComesBackAndIsDeliveredAgain() async throws {
        try open(withoutNotes(isNamed: true)).close()
        var store = try open(withoutNotes(isNamed: false))
        let registry = store.registry
        let items = ItemService(store: store, registry: registry, clock: .system, retention: .seconds(60))
        _ = try await items.update("t", in: registry["tasks"]!, ["name": "New"], if: .none, by: owner)
        let later = try await store.read { try $0.project("p1")!.head }
        try store.close()
        store = try open(documents)
        let delta = try await Drained(store, store.registry, project: "p1", since: later, by: owner)
        #expect(Set(delta.rows.keys) == [RowKey("notes", "a"), RowKey("notes", "b")])
        #expect(delta.rows[RowKey("notes", "a")]?["server_version"] == 2)
        let notes = delta.rows.values.filter { $0["text"] != nil }
        #expect(delta.digest["notes"] == NaiveDigest.of(notes))
        try store.close()
        try check()
        let isQuiet = try await drainedNothing(since: delta.timestamp)
        #expect(isQuiet)
    }

    private func drainedNothing(since: Int64) async throws -> Bool {
        let store = try open(documents)
        let drained = try await Drained(store, store.registry, project: "p1", since: SyncSeq(since), by: owner)
        return drained.rows.isEmpty && drained.deleted.isEmpty
    }

    @Test func aCollectionComesBackWithoutTheRowsOfAProjectThatWasDeleted() async throws {
        try open(withoutNotes(isNamed: true)).close()
        var store = try open(withoutNotes(isNamed: true))
        let items = ItemService(store: store, registry: store.registry, clock: .system, retention: .seconds(60))
        try await items.delete("p1", in: store.registry.projects, if: .none, by: owner)
        try store.close()
        store = try open(documents)
        #expect(try await store.read { try $0.record(RowKey("notes", "a"))?.isDeleted } == true)
        try store.close()
        try check()
    }

    @Test func whatRefersToARemovedCollectionIsRefused() throws {
        var documents = withoutNotes(isNamed: true)
        documents.add(
            "stickers",
            [
                "on": [
                    "type": ["string", "null"], "default": nil, "x-ref": ["collection": "notes", "on-delete": "clear"],
                ]
            ])
        let error = #expect(throws: SchemaError.self) { try documents.registry() }
        #expect(error?.file == "stickers" && error?.reason.contains("notes is removed") == true)
    }

    @Test func whatTheSchemaNeedsCannotBeRemoved() throws {
        for (collection, field) in [("memberships", "role"), ("time_entries", "user")] {
            var documents = try Documents()
            var members = documents[collection, field]?.object ?? [:]
            members["x-removed"] = true
            documents[collection, field] = .object(members)
            let error = #expect(throws: SchemaError.self) { try documents.registry() }
            #expect(error?.reason.contains("is removed") == true, "\(error?.reason ?? "")")
        }
        var documents = try Documents()
        documents["projects", keyword: "x-removed"] = true
        #expect(throws: SchemaError.self) { try documents.registry() }
    }
}
