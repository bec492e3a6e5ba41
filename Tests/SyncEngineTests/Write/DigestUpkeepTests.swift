import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// After every kind of change the stored digests equal those of the live rows.
@Suite struct DigestUpkeepTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<SQLiteStore>

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        try await bench.edit { editor in
            for id in ["t1", "t2", "t3"] { try editor.insert("tasks", id, ["name": "T"]) }
            for id in ["s1", "s2"] {
                try editor.insert(
                    "sprints", id, ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            }
            try editor.insert("sprint_retros", "closed", ["sprint": "s1"])
            try editor.insert("sprint_retros", "open", ["sprint": "s2", "team_visibility": "project"])
            for id in ["a1", "a2"] { try editor.insert("retro_action_items", id, ["retro": "closed", "text": "Do"]) }
        }
        try await bench.edit(as: .member) { editor in
            try editor.insert("time_entries", "e1", ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"])
        }
    }

    private func digest(_ collection: String, _ audience: Audience = .everyone) async throws -> CollectionDigest? {
        try await bench.store.read { try $0.digests(project: bench.project, of: audience)[collection] }
    }

    private func expectSound(_ place: SourceLocation = #_sourceLocation) async throws {
        #expect(try await bench.brokenDigests() == [], sourceLocation: place)
    }

    @Test func insertsEditsAndCascades() async throws {
        try await expectSound()
        #expect(try await digest("tasks")?.count == 3)
        try await bench.edit { try $0.update("tasks", "t1", ["name": "N", "parent": "t2"]) }
        try await expectSound()
        try await bench.edit { try $0.delete("tasks", "t2") }
        try await expectSound()
        #expect(try await digest("tasks")?.count == 1)
        #expect(try await digest("time_entries", .user(bench.caller(.member).userID)) == .empty)
    }

    @Test func aRowThatIsOnlyStampedAnewChangesNothing() async throws {
        let before = try await digest("tasks")
        try await bench.edit { try $0.draft.restamp(RowKey("tasks", "t1")) }
        #expect(try await digest("tasks") == before)
        try await expectSound()
    }

    @Test func gatesThatOpenAndClose() async throws {
        for visibility in ["project", "team_only", "org"] as [JSON] {
            try await bench.edit { try $0.update("sprint_retros", "closed", ["team_visibility": visibility]) }
            try await expectSound()
            let hidden = visibility == "team_only" ? 2 : 0
            #expect(try await digest("retro_action_items", .behindGate)?.count == hidden)
            #expect(try await digest("retro_action_items")?.count == 2 - hidden)
        }
        try await bench.edit { try $0.update("sprint_retros", "open", ["team_visibility": "team_only"]) }
        try await bench.edit { try $0.update("retro_action_items", "a1", ["retro": "open"]) }
        try await expectSound()
    }

    @Test func uploadsAndRefusedOnes() async throws {
        let changes: JSON = [
            "created": [["id": "t9", "name": "N"]], "updated": [["id": "t1", "name": "M"]], "deleted": ["t3"],
        ]
        _ = try await bench.upload(changes, batch: "00000000-0000-4000-8000-000000000001")
        try await expectSound()
        let before = try await digest("tasks")
        let bad: JSON = ["created": [["id": "t10", "name": "N"], ["id": "t11"]]]
        await #expect(throws: Problem.self) {
            _ = try await bench.upload(bad, batch: "00000000-0000-4000-8000-000000000002")
        }
        #expect(try await digest("tasks") == before)
    }

    @Test func archivesAndLeavers() async throws {
        try await bench.edit { try $0.update("tasks", "t1", ["assignee": .int(bench.caller(.member).userID)]) }
        try await bench.setRole(of: .member, to: nil)
        try await expectSound()
        try await bench.setRole(of: .member, to: .viewer)
        try await expectSound()
        _ = try await bench.items.archive(true, project: bench.project, by: bench.caller(.owner))
        try await expectSound()
    }

    /// The store makes these tombstones with its own statements, without the draft.
    @Test func aDeletedProjectHasNothingLeft() async throws {
        try await bench.items.delete(
            bench.project, in: bench.registry.projects, if: .none, by: bench.caller(.owner))
        try await expectSound()
        for audience in [.everyone, .behindGate, .user(bench.caller(.member).userID)] as [Audience] {
            let digests = try await bench.store.read { try $0.digests(project: bench.project, of: audience) }
            #expect(digests.values.allSatisfy { $0 == .empty })
        }
    }

    @Test func anImportedProject() async throws {
        let other = try await Workbench(bench.store, bench.registry, project: "p2")
        let content = ProjectContent(
            rows: [
                "projects": [["id": "p3", "name": "P", "start_date": "2026-01-05", "calendar": "c3"]],
                "calendars": [["id": "c3", "name": "C"]], "tasks": [["id": "t-p3", "name": "T"]],
            ], owner: other.caller(.owner).userID, members: [other.caller(.viewer).userID: .member])
        _ = try await bench.projects.create(content)
        let digests = try await bench.store.read { try $0.digests(project: "p3", of: .everyone) }
        #expect(digests.mapValues(\.count) == ["projects": 1, "calendars": 1, "tasks": 1, "memberships": 2])
        var tasks = CollectionDigest.empty
        tasks.insert("t-p3", .first)
        #expect(digests["tasks"] == tasks)
        try await expectSound()
    }
}
