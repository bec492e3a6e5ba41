import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStores
import SyncTestKit
import SyncValues
import Testing

/// What `x-removed` leaves in the database, how it comes back, and how it is removed for good.
@Suite(.timeLimit(.minutes(30))) struct RemovedDataTests {
    typealias Engine = ReopenedDatabase.Engine

    @Test(arguments: Engine.allCases)
    func aFileStartsWithTheEntryAndWithoutItBeforeAndAfterAPrune(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        let removed = scene.removing(RemovedDataScene.fields)
        try scene.open(removed).close()
        for _ in 0..<2 {
            for documents in [removed, scene.without(RemovedDataScene.fields), removed] {
                let store = try scene.open(documents)
                #expect(try await scene.note("a", store) == ["id": "a", "server_version": 2])
                try store.close()
                try scene.database.check()
                try scene.open(documents, isServer: false).close()
            }
            let store = try scene.open(removed, isServer: false)
            _ = try await store.prune()
            try store.close()
        }
        #expect(try Set(scene.database.columns(of: "notes")).isDisjoint(with: RemovedDataScene.fields))
    }

    @Test(arguments: Engine.allCases)
    func aFieldThatIsGoneWithoutAWordIsRefusedWithWhatToDo(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        let error = #expect(throws: SchemaError.self) { try scene.open(scene.without(["colour"])) }
        #expect(error?.pointer == "/properties/colour")
        #expect(error?.reason.contains("\"x-removed\": true") == true)
        try scene.open(scene.documents).close()
    }

    @Test(arguments: Engine.allCases)
    func aFieldComesBackWithItsValues(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        try scene.open(scene.removing(RemovedDataScene.fields)).close()
        var store = try scene.open(scene.without(RemovedDataScene.fields))
        let bench = try await Workbench(store, store.registry, project: "p2")
        try await bench.edit { try $0.insert("notes", "new", [:]) }
        try store.close()
        let error = #expect(throws: SchemaError.self) { try scene.open(scene.documents) }
        #expect(error?.pointer == "/properties/text")
        var documents = scene.documents
        documents["notes", "text"] = ["type": "string", "default": "none"]
        store = try scene.open(documents)
        let expected: JSON = [
            "id": "a", "server_version": 2, "text": "three", "about": "t", "tags": ["t"], "colour": "green",
            "flag": true,
        ]
        #expect(try await scene.note("a", store) == expected)
        let new: JSON = [
            "id": "new", "server_version": 1, "text": "none", "about": nil, "tags": [], "colour": "red",
            "flag": nil,
        ]
        #expect(try await scene.note("new", store) == new)
        try store.close()
        try scene.database.check()
    }

    @Test(arguments: Engine.allCases)
    func aReferenceThatDiedMeanwhileComesBackAsNull(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        try scene.open(scene.removing(RemovedDataScene.fields)).close()
        var store = try scene.open(scene.without(RemovedDataScene.fields))
        let registry = store.registry
        let items = ItemService(store: store, registry: registry, clock: .system, retention: .seconds(60))
        try await items.delete("t", in: registry["tasks"]!, if: .none, by: scene.owner)
        _ = try await PurgeService(store: store, registry: registry, clock: .system).purge(olderThan: .zero)
        try store.close()
        store = try scene.open(scene.documents)
        #expect(store.mendingAtOpening == SchemaChange.mending(changed: 1))
        let row = try await scene.note("a", store)
        #expect(row["about"] == .null && row["tags"] == [] && row["server_version"] == 3)
        try store.close()
        try scene.database.check()
    }

    @Test(arguments: Engine.allCases)
    func aFieldComesBackWithItsTypeOnly(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        try scene.open(scene.removing(["colour"])).close()
        var documents = scene.documents
        documents["notes", "colour"] = ["type": "array", "default": []]
        let error = #expect(throws: SchemaError.self) { try scene.open(documents) }
        #expect(error?.pointer == "/properties/colour")
    }

    @Test(arguments: Engine.allCases)
    func aPruneTakesValuesFromTheHistoryToo(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        let store = try scene.open(scene.removing(["colour"]))
        try scene.database.run(
            """
            INSERT INTO tidemark_inbox
              (project_id, user_id, collection, row_id, field, code, sent, kept, batch_id, at) VALUES
              ('p1', 1, 'notes', 'a', 'colour', 'conflict', '"pink"', '"red"', NULL, 0),
              ('p1', 1, 'notes', 'a', NULL, 'conflict', '{"colour":"pink","text":"x"}', 'null', NULL, 0)
            """)
        // What was sent for the field, if it was merged.
        try scene.database.run(
            """
            UPDATE tidemark_changes SET replaced = '{"+colour":"blue","colour":"red","text":"one"}',
              sightings = '[[1,null,"c",["colour"],{"colour":"blue"}]]' WHERE collection = 'notes'
            """)
        let report = try await store.prune()
        #expect(report == PruneReport(fields: ["notes.colour"]))
        let changes = try scene.database.run("SELECT replaced FROM tidemark_changes WHERE collection = 'notes'")
        let inbox = try scene.database.run("SELECT sent FROM tidemark_inbox")
        #expect(changes == [[#"{"text":"one"}"#]] && inbox == [[#"{"text":"x"}"#]])
        let sightings = "SELECT count(*) FROM tidemark_changes WHERE sightings IS NOT NULL"
        #expect(try scene.database.run(sightings) == [["0"]])
        #expect(try await store.prune() == PruneReport())
        try store.close()
        try scene.database.check()
    }

    @Test(arguments: Engine.allCases)
    func aServerGoesOnWhileACommandPrunes(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        let server = try scene.open(scene.removing(RemovedDataScene.fields))
        let items = ItemService(
            store: server, registry: server.registry, clock: WallClock { Workbench<EngineStore>.noon },
            retention: .seconds(60))
        _ = try await scene.note("a", server)
        let guest = try scene.open(scene.without(RemovedDataScene.fields), isServer: false)
        #expect(try await guest.prune().fields.count == 5)
        try guest.close()
        #expect(try await scene.note("a", server)["id"] == "a")
        let made = try await items.create([:], in: server.registry["notes"]!, of: "p1", key: nil, by: scene.owner)
        #expect(made.version == ServerVersion(1))
        try server.close()
        try scene.database.check()
    }

    // MARK: Collections

    @Test(arguments: Engine.allCases)
    func aCollectionStaysUntilAPruneAndTheFileStartsWithoutIt(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        let error = #expect(throws: SchemaError.self) { try scene.open(scene.withoutNotes(isNamed: false)) }
        #expect(error?.reason.contains("\"x-removed\": true") == true)
        for isNamed in [true, false, true] { try scene.open(scene.withoutNotes(isNamed: isNamed)).close() }
        #expect(try !scene.database.columns(of: "notes").isEmpty)
        let store = try scene.open(scene.withoutNotes(isNamed: false))
        #expect(try await store.prune() == PruneReport(collections: ["notes"], rows: 2))
        try store.close()
        #expect(try scene.database.columns(of: "notes").isEmpty)
        for isNamed in [true, false, true] { try scene.open(scene.withoutNotes(isNamed: isNamed)).close() }
        try scene.database.check()
        try scene.open(scene.documents).close()
        try scene.database.check()
    }

    @Test(arguments: Engine.allCases)
    func aCollectionComesBackAndIsDeliveredAgain(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        try scene.open(scene.withoutNotes(isNamed: true)).close()
        var store = try scene.open(scene.withoutNotes(isNamed: false))
        let registry = store.registry
        let items = ItemService(store: store, registry: registry, clock: .system, retention: .seconds(60))
        _ = try await items.update("t", in: registry["tasks"]!, ["name": "New"], if: .none, by: scene.owner)
        let later = try await store.read { try $0.project("p1")!.head }
        try store.close()
        store = try scene.open(scene.documents)
        let delta = try await Drained(store, store.registry, project: "p1", since: later, by: scene.owner)
        #expect(Set(delta.rows.keys) == [RowKey("notes", "a"), RowKey("notes", "b")])
        #expect(delta.rows[RowKey("notes", "a")]?["server_version"] == 2)
        let notes = delta.rows.values.filter { $0["text"] != nil }
        #expect(delta.digest["notes"] == NaiveDigest.of(notes))
        try store.close()
        try scene.database.check()
        let isQuiet = try await scene.drainedNothing(since: delta.timestamp)
        #expect(isQuiet)
    }

    @Test(arguments: Engine.allCases)
    func aCollectionComesBackWithoutTheRowsOfAProjectThatWasDeleted(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        try scene.open(scene.withoutNotes(isNamed: true)).close()
        var store = try scene.open(scene.withoutNotes(isNamed: true))
        let items = ItemService(store: store, registry: store.registry, clock: .system, retention: .seconds(60))
        try await items.delete("p1", in: store.registry.projects, if: .none, by: scene.owner)
        try store.close()
        store = try scene.open(scene.documents)
        #expect(try await store.read { try $0.record(RowKey("notes", "a"))?.isDeleted } == true)
        try store.close()
        try scene.database.check()
    }

    @Test(arguments: Engine.allCases)
    func whatRefersToARemovedCollectionIsRefused(engine: Engine) async throws {
        let scene = try await RemovedDataScene(engine)
        var documents = scene.withoutNotes(isNamed: true)
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
