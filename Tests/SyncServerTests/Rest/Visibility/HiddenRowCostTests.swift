import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

@testable import SyncEngine

/// How much is read to answer that there is no such row. Whoever measures the time learns nothing.
@Suite struct HiddenRowCostTests {
    /// The calls of the store that a search for the row makes.
    private func calls(_ scene: Scene, _ caller: Caller, _ collection: String, _ id: String) async throws -> [String] {
        try await scene.bench.store.write(.installation) { transaction in
            CountedReads.calls(on: transaction) { counted in
                let finder = ItemFinder(caller: caller, registry: scene.registry, transaction: counted)
                #expect(throws: Problem.self) { try finder.find(RowKey(collection, id)) }
            }
        }
    }

    @Test func aHiddenRowCostsWhatOneThatNeverWasCosts() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        let gone = try await scene.otherProject("p3")
        try await scene.insertSprint("s1")
        try await scene.insertTasks(["t1", "t2"])
        try await scene.bench.edit { editor in
            try editor.insert("sprint_retros", "closed", ["sprint": "s1"])
            try editor.insert("time_entries", "theirs", ["task": "t1", "minutes": 30, "entry_date": "2026-01-05"])
            try editor.delete("tasks", "t2")
        }
        try await other.edit { try $0.insert("tasks", "foreign", ["name": "A"]) }
        try await gone.edit { try $0.insert("tasks", "with-its-project", ["name": "A"]) }
        try await gone.items.delete("p3", in: scene.registry.projects, if: .none, by: gone.caller(.owner))
        let viewer = scene.bench.caller(.viewer)
        let hidden = [
            ("tasks", "foreign"), ("tasks", "with-its-project"), ("tasks", "t2"), ("sprint_retros", "closed"),
            ("time_entries", "theirs"),
        ]
        for (collection, id) in hidden {
            let never = try await calls(scene, viewer, collection, "never-was")
            #expect(never == ["record", "project", "access"])
            #expect(try await calls(scene, viewer, collection, id) == never, "\(collection)/\(id)")
        }
    }
}
