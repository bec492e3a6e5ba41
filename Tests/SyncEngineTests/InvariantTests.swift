import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// The checker that ends the random tests finds what it should find.
@Suite struct InvariantTests {
    private let bench: Workbench<ModelStore>

    init() async throws {
        let registry = try Registry.builtIn()
        bench = try await Workbench(ModelStore(registry: registry), registry)
        try await bench.edit { editor in
            try editor.insert(
                "sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("sprint_retros", "re", ["sprint": "s"])
            try editor.insert("retro_action_items", "ai", ["retro": "re", "text": "Do"])
            try editor.insert("tasks", "t", ["name": "T"])
            try editor.insert("tasks", "gone", ["name": "G"])
        }
        try await bench.edit { try $0.delete("tasks", "gone") }
    }

    @Test func aSoundStateIsSound() async throws {
        #expect(try await bench.brokenInvariants().isEmpty)
    }

    @Test func deadReferencesAreSeen() async throws {
        try await bench.edit { editor in
            try editor.insert("tasks", "c", ["name": "C", "parent": "gone"])
            try editor.insert(
                "risks", "k", ["title": "R", "probability": 1, "impact": 1, "task_ids": ["t", "never"]])
        }
        #expect(try await Set(bench.brokenInvariants()) == ["tasks c.parent -> gone", "risks k.task_ids -> never"])
    }

    @Test func usersWhoAreNoMembersAreSeen() async throws {
        try await bench.edit { try $0.update("tasks", "t", ["assignee": 999]) }
        #expect(try await bench.brokenInvariants() == ["tasks t.assignee -> user 999"])
    }

    @Test func equalKeysAreSeen() async throws {
        try await bench.edit { try $0.insert("sprint_retros", "re2", ["sprint": "s"]) }
        let broken = try await bench.brokenInvariants()
        #expect(broken.count == 1 && broken[0].hasPrefix("key sprint of sprint_retros re"))
    }

    @Test func wrongGatesStampsAndCountersAreSeen() async throws {
        let registry = bench.registry
        try await bench.store.write { transaction in
            for (collection, id) in [("retro_action_items", "ai"), ("tasks", "t")] {
                var row = try transaction.record(RowKey(collection, id))!
                if collection == "tasks" { row.seq = SyncSeq(99) } else { row.isGated = false }
                try transaction.update([row], in: registry[collection]!)
            }
            try transaction.addCounts(project: "p1", collection: "risks", RowCounts(live: 1, tombstones: -1))
            try transaction.addCounts(project: "p1", collection: "sprints", RowCounts(live: 0, tombstones: 1))
        }
        #expect(
            try await Set(bench.brokenInvariants()) == [
                "gate of retro_action_items ai", "stamps of tasks t", "live count of risks",
                "tombstone count of sprints", "tombstone count of tasks",
            ])
    }

    @Test func wrongDigestsAreSeen() async throws {
        let owner = Audience.user(bench.caller(.owner).userID)
        try await bench.store.write { transaction in
            var change = CollectionDigest.empty
            change.insert("t", ServerVersion(7))
            for audience in [.everyone, .behindGate, owner] as [Audience] {
                try transaction.addDigest(project: "p1", collection: "tasks", of: audience, change)
            }
        }
        #expect(
            try await Set(bench.brokenInvariants()) == [
                "digest of tasks for everyone", "digest of tasks for behindGate", "digest of tasks for \(owner)",
            ])
    }
}
