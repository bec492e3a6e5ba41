import PostgreSQLTestKit
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import SyncValues
import Testing

/// Databases of an older schema, opened with a newer one.
@Suite(.timeLimit(.minutes(30))) struct SchemaChangeTests {
    /// The head of p1 and its owner, after the rows of the old schema are written.
    private func make(
        _ change: SchemaChange, in database: ReopenedDatabase
    ) async throws -> (documents: Documents, head: SyncSeq, Caller) {
        var documents = try Documents()
        change.before(&documents)
        let registry = try documents.registry()
        let store = try database.open(documents)
        let bench = try await Workbench(store, registry)
        let other = try await Workbench(store, registry, project: "p2")
        try await other.edit { try $0.insert("tasks", "foreign", ["name": "F"]) }
        for edit in change.rows { try await bench.edit(edit) }
        let head = try await store.read { try $0.project("p1")!.head }
        try store.close()
        try database.check()
        return (documents, head, bench.caller(.owner))
    }

    @Test(arguments: SchemaChange.all, ReopenedDatabase.Engine.allCases)
    func rowsFollowTheSchemaAndClientsAreTold(change: SchemaChange, engine: ReopenedDatabase.Engine) async throws {
        let database = try ReopenedDatabase(engine)
        let (old, head, owner) = try await make(change, in: database)
        var documents = old
        let before = try await drained(database, documents, owner)
        change.after(&documents)
        var store = try database.open(documents)
        #expect(store.mendingAtOpening == change.mending)
        try store.close()
        try database.check("\(change)")
        store = try database.open(documents)
        #expect(store.mendingAtOpening == Mending())
        try await expectTold(change, before, store, documents, since: head, owner)
        try await expectWrites(store, documents)
        try store.close()
        try database.check("\(change)")
    }

    private func drained(
        _ database: ReopenedDatabase, _ documents: Documents, _ caller: Caller
    ) async throws -> Drained {
        let store = try database.open(documents)
        let drained = try await Drained(store, documents.registry(), project: "p1", since: .zero, by: caller)
        try store.close()
        return drained
    }

    /// The delta is as the change says. A client that applies it has the server's digests.
    private func expectTold(
        _ change: SchemaChange, _ before: Drained, _ store: EngineStore, _ documents: Documents, since: SyncSeq,
        _ owner: Caller
    ) async throws {
        let registry = try documents.registry()
        let all = try await Drained(store, registry, project: "p1", since: .zero, by: owner)
        guard !change.startsAnew else {
            let problem = await #expect(throws: Problem.self) {
                try await Drained(store, registry, project: "p1", since: since, by: owner)
            }
            #expect(problem?.code == .sinceExpired)
            return expectDigest(all.digest, of: all.rows)
        }
        let delta = try await Drained(store, registry, project: "p1", since: since, by: owner)
        #expect(Set(delta.rows.keys) == Set(change.told.flatMap { name, rows in rows.keys.map { RowKey(name, $0) } }))
        for (name, rows) in change.told {
            for (id, fields) in rows {
                for (field, value) in fields {
                    #expect(delta.rows[RowKey(name, id)]?[field] == value, "\(id).\(field)")
                }
            }
        }
        #expect(delta.deleted == Set(change.deleted.flatMap { name, ids in ids.map { RowKey(name, $0) } }))
        var rows = before.rows.filter { registry[$0.key.collection] != nil }.merging(delta.rows) { $1 }
        for key in delta.deleted { rows[key] = nil }
        expectDigest(delta.digest, of: rows)
        #expect(Set(rows.keys) == Set(all.rows.keys))
    }

    private func expectDigest(_ digest: JSON, of rows: [RowKey: JSON]) {
        for (name, digest) in digest.object ?? [:] {
            #expect(NaiveDigest.of(rows.filter { $0.key.collection == name }.map(\.value)) == digest, "\(name)")
        }
    }

    /// A value that the field accepts, with a reference to an existing task.
    private static func value(of field: Field) -> JSON {
        if let reference = field.reference, reference.collection == "tasks" {
            return reference.isList ? ["p3-t"] : "p3-t"
        }
        return field.value.isNullable || !field.fallback.isNull ? field.fallback : "x"
    }

    /// Every row can be deleted and purged, and the schema's collections accept new rows.
    private func expectWrites(_ store: EngineStore, _ documents: Documents) async throws {
        let registry = try documents.registry()
        let bench = try await Workbench(store, registry, project: "p3")
        try await bench.edit { editor in
            try editor.insert("tasks", "p3-t", ["name": "T"])
            guard let about = registry["notes"]?.field("about"), about.reference?.collection != "risks" else { return }
            try editor.insert("notes", "p3-n", ["about": Self.value(of: about)])
        }
        #expect(try await bench.brokenInvariants() == [])
        #expect(try await bench.existing("p1").brokenInvariants() == [])
        let owner = try await store.read { try $0.user(named: "owner-p1") }
        let items = ItemService(
            store: store, registry: registry, clock: WallClock { Workbench<EngineStore>.noon }, retention: .seconds(60))
        let caller = Caller(userID: try #require(owner).id, username: "owner-p1")
        for id in try await store.read({ try $0.records(in: registry["tasks"]!, project: "p1") }).map(\.id) {
            try? await items.delete(id, in: registry["tasks"]!, if: .none, by: caller)
        }
        let purge = PurgeService(store: store, registry: registry, clock: .system)
        _ = try await purge.purge(olderThan: .zero)
    }
}
