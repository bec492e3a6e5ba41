import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStores
import SyncTestKit
import Testing

/// The tables that `tidemark copy` makes.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CopiedTablesTests {
    @Test func theyAreTheSameAsThoseThatAServerMakes() async throws {
        let file = try ReopenedDatabase(.sqlite)
        let store = try file.open(Documents())
        _ = try await Workbench(store, store.registry)
        try store.close()
        let copy = try await file.moved(to: .postgresql, Documents())
        let new = try ReopenedDatabase(.postgresql)
        try new.open(Documents()).close()
        let (made, copied) = (try new.catalogue(), try copy.catalogue())
        for key in Set(made.keys).union(copied.keys) { #expect(made[key] == copied[key], "\(key)") }
    }

    @Test(arguments: ReopenedDatabase.Engine.allCases, ReopenedDatabase.Engine.allCases)
    func removedFieldsAndCollectionsAreCopied(
        source: ReopenedDatabase.Engine, target: ReopenedDatabase.Engine
    ) async throws {
        let scene = try await RemovedDataScene(source)
        let removed = scene.removing(["colour", "flag"])
        try scene.open(removed).close()
        let copy = try await scene.database.moved(to: target, removed)
        try copy.check()
        #expect(try copy.columns(of: "notes").contains("colour"))
        let store = try copy.open(scene.documents)
        let note = try await scene.note("a", store)
        #expect(note["colour"] == "green" && note["flag"] == true)
        try store.close()

        let without = scene.withoutNotes(isNamed: true)
        try copy.open(without).close()
        let again = try await copy.moved(to: source, without)
        try again.check()
        let revived = try again.open(scene.documents)
        #expect(try await scene.note("a", revived) == note)
        try revived.close()
        try again.check()
    }
}
