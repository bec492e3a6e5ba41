import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// A write names its scope, and what it is going to ask for.
@Suite struct NeedsTests {
    private let bench: Workbench<ListeningStore<ModelStore>>

    init() async throws {
        let registry = try Registry.builtIn()
        bench = try await Workbench(ListeningStore(ModelStore(registry: registry)), registry)
    }

    @Test func anUploadNamesEveryRowThatItLooksUp() async throws {
        try await bench.edit {
            try $0.insert("tasks", "parent", ["name": "P"])
            try $0.insert("sprints", "s", ["name": "S", "start_date": "2026-06-01", "finish_date": "2026-06-12"])
            try $0.insert("tasks", "known", ["name": "K"])
        }
        let assignee = JSON.int(bench.caller(.member).userID)
        let changes: JSON = [
            "created": [
                ["id": "a", "name": "A", "parent": "parent", "sprint": "s", "assignee": assignee],
                ["id": "b", "name": "B", "parent": "a"],
            ],
            "updated": [["id": "known", "name": "K2"]], "deleted": ["none"],
        ]
        _ = try await bench.upload(changes, batch: "00000000-0000-4000-8000-000000000001")
        let heard = try #require(bench.store.heard.last)
        #expect(heard.scope == .project(bench.project))
        #expect(heard.rows.contains(RowKey("tasks", "parent")) && heard.rows.contains(RowKey("tasks", "b")))
        #expect(heard.rows.subtracting(heard.needs.rows) == [])
        #expect(Set(heard.needs.rows).count == heard.needs.rows.count)
        #expect(heard.needs.users == [bench.caller(.member).userID])
    }

    @Test func aChangeOfManyProjectsNamesThemAll() async throws {
        let name = bench.caller(.member).username.rawValue
        _ = try await bench.members.rename(name, displayName: "Renamed")
        #expect(bench.store.heard.last?.scope == .accountsAndProjects([bench.project]))
    }
}
