import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// What a delete costs: one look-up for each level and each referring field, not one for each row.
@Suite struct CascadeCostTests {
    /// A root `t` with `count` tasks below it. `parent` names the parent of the nth task.
    private func fill<Store: SyncStore>(
        _ bench: Workbench<Store>, _ count: Int, parent: @escaping @Sendable (Int) -> String
    ) async throws {
        try await bench.edit { editor in
            try editor.insert("tasks", "t", ["name": "Root"])
            for number in 0..<count {
                try editor.insert(
                    "tasks", "t\(number)", ["name": "T", "parent": .string(parent(number))])
            }
        }
    }

    /// Adds something of every kind to some of the tasks, and a risk to all of them.
    private func hang<Store: SyncStore>(on count: Int, _ bench: Workbench<Store>) async throws {
        try await bench.edit { editor in
            try editor.insert("tasks", "kept", ["name": "Kept"])
            for number in 0..<count {
                let task = JSON.string("t\(number)")
                try editor.insert("task_links", "l\(number)", ["task": task, "url": "https://a.org"])
                if number % 3 == 0 {
                    try editor.insert("task_recurrence_rules", "r\(number)", ["task": task, "frequency": "DAILY"])
                    try editor.insert(
                        "time_entries", "e\(number)", ["task": task, "minutes": 1, "entry_date": "2026-01-05"])
                    try editor.insert("dependencies", "d\(number)", ["predecessor": task, "successor": "kept"])
                }
                let tasks: JSON = number % 2 == 0 ? [task, "kept"] : [task]
                try editor.insert(
                    "risks", "k\(number)", ["title": "R", "probability": 1, "impact": 1, "task_ids": tasks])
            }
        }
    }

    /// Deletes the root. Fails if that takes more than `calls` calls of the store.
    private func delete<Store: SyncStore>(_ bench: Workbench<Store>, calls: Int) async throws {
        let store = FaultyStore(bench.store, failingCall: calls + 1)
        let author = bench.caller(.owner).userID
        try await store.write { transaction in
            let draft = Draft(
                transaction, bench.registry, project: bench.project, author: author, now: Workbench<Store>.noon)
            try draft.delete(RowKey("tasks", "t"))
            _ = try draft.commit()
        }
        let live = try await bench.store.read { try $0.counts(project: bench.project) }
        for name in ["task_links", "task_recurrence_rules", "time_entries", "dependencies"] {
            #expect(live[name]?.live ?? 0 == 0)
        }
        #expect(try await bench.brokenInvariants().isEmpty)
    }

    @Test(arguments: [10, 300]) func aFlatDeleteTakesTheSameCallsForAnyNumberOfChildren(count: Int) async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await fill(bench, count) { _ in "t" }
        try await hang(on: count, bench)
        try await delete(bench, calls: 51)
    }

    @Test(arguments: [10, 300]) func aChainTakesOneCallALevelWhateverHangsOnIt(count: Int) async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await fill(bench, count) { $0 == 0 ? "t" : "t\($0 - 1)" }
        try await hang(on: count, bench)
        try await delete(bench, calls: count + 51)
    }

    @Test func aChainOfTenThousandIsDeletedOnTheStackOfATask() async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let bench = try await Workbench(store, registry)
        try await fill(bench, 10_000) { $0 == 0 ? "t" : "t\($0 - 1)" }
        try await delete(bench, calls: 10_046)
        #expect(
            try await store.read { try $0.counts(project: "p1")["tasks"] } == RowCounts(live: 0, tombstones: 10_001))
    }

    @Test func aMixedTreeOfBothStoresComesToTheSame() async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let sqlite = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        let model = try await Workbench(ModelStore(registry: registry), registry)
        let parent: @Sendable (Int) -> String = { $0 < 3 ? "t" : "t\($0 % 5 == 0 ? $0 - 1 : $0 / 3)" }
        let count = 700
        try await fill(sqlite, count, parent: parent)
        try await fill(model, count, parent: parent)
        try await hang(on: count, sqlite)
        try await hang(on: count, model)
        try await delete(sqlite, calls: 400)
        try await delete(model, calls: 400)
        let owner = sqlite.caller(.owner)
        #expect(
            try await sqlite.visibleRows(to: owner, as: .owner)
                == model.visibleRows(to: model.caller(.owner), as: .owner))
        let counts = try await sqlite.store.read { try $0.counts(project: "p1") }
        #expect(try await model.store.read { try $0.counts(project: "p1") } == counts)
    }

    /// A sprint and one of its tasks are deleted together: the task is only deleted, not changed first.
    @Test(arguments: [["sprints s", "tasks t"], ["tasks t", "sprints s"]])
    func aRowThatGoesIsNotAlsoUpdated(roots: [String]) async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await bench.edit { editor in
            try editor.insert(
                "sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("tasks", "t", ["name": "T", "sprint": "s"])
        }
        try await bench.edit { editor in
            let keys = roots.map { $0.split(separator: " ").map(String.init) }
            try editor.draft.delete(keys.map { RowKey($0[0], $0[1]) })
        }
        let task = try await bench.store.read { try $0.record(RowKey("tasks", "t")) }
        #expect(task?.version == ServerVersion(2))
        #expect(task?.isDeleted == true)
    }

    @Test func aRestrictedRowIsRefusedUnlessItsUserGoesToo() async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        let (calendars, projects) = (registry["calendars"]!, registry.projects)
        let calendar = try await bench.store.read { try $0.records(in: calendars, project: "p1")[0].id }
        let problem = await #expect(throws: Problem.self) {
            try await bench.edit { try $0.delete(calendars.name, calendar) }
        }
        #expect(problem?.code == .inUse)
        #expect(problem?.detail == "calendars \(calendar) is in use by projects p1.")
        try await bench.edit { editor in
            try editor.draft.delete([RowKey(calendars.name, calendar), RowKey(projects.name, "p1")])
        }
    }
}
