import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// Nobody reads what was written while the row was out of their sight: `docs/protocol.md#how-far-back-it-goes`.
@Suite struct HistorySightTests {
    private func change(_ scene: Scene, _ collection: String, _ id: String, _ edits: JSON...) async throws {
        let admin = try await scene.client(.admin)
        for fields in edits { #expect(try await admin.patch(collection, id, fields).status == 200) }
    }

    /// An open retro with an action item.
    private func retro(in scene: Scene) async throws {
        let admin = try await scene.client(.admin)
        try await scene.insertSprint("s1")
        try await admin.create("sprint_retros", ["id": "re1", "sprint": "s1", "team_visibility": "project"])
        try await admin.create("retro_action_items", ["id": "ai1", "retro": "re1", "text": "open"])
    }

    @Test func whatWasWrittenBehindAClosedGateStaysClosed() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        try await retro(in: scene)
        #expect(try await viewer.history("sprint_retros", "re1").isComplete == true)
        try await change(scene, "sprint_retros", "re1", ["team_visibility": "team_only"], ["notes": "SECRET"])
        try await change(scene, "retro_action_items", "ai1", ["text": "SECRET"], ["text": "fine"])
        try await change(scene, "sprint_retros", "re1", ["notes": "fine", "team_visibility": "project"])
        for (collection, id) in [("sprint_retros", "re1"), ("retro_action_items", "ai1")] {
            let answer = try await viewer.history(collection, id)
            #expect(answer.entries.isEmpty && answer.isComplete == false && answer.at("/next") == .null, "\(id)")
        }
        try await change(scene, "sprint_retros", "re1", ["notes": "after"])
        try await change(scene, "retro_action_items", "ai1", ["text": "after"])
        #expect(try await viewer.history("sprint_retros", "re1").story == [#"5: notes "fine" -> "after""#])
        #expect(try await viewer.history("retro_action_items", "ai1").story == [#"4: text "fine" -> "after""#])
        for role in [Role.member, .admin] {
            let answer = try await scene.client(role).history("sprint_retros", "re1")
            #expect(answer.versions == [5, 4, 3, 2, 1] && answer.isComplete == true, "\(role)")
        }
    }

    /// A viewer who was a member while the retro was closed never lost sight of it.
    @Test func aRoleAndAnOpenGateTogetherLoseNothing() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        try await retro(in: scene)
        try await scene.setRole(of: .viewer, to: .member)
        try await change(
            scene, "sprint_retros", "re1", ["team_visibility": "team_only"], ["notes": "x"],
            ["team_visibility": "project"])
        try await scene.setRole(of: .viewer, to: .viewer)
        let answer = try await viewer.history("sprint_retros", "re1")
        #expect(answer.versions == [4, 3, 2, 1] && answer.isComplete == true)
    }

    @Test func aRaisedRoleShowsWhatComesAfterIt() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        try await retro(in: scene)
        try await change(scene, "sprint_retros", "re1", ["team_visibility": "team_only"], ["notes": "SECRET"])
        try await scene.setRole(of: .viewer, to: .member)
        try await change(scene, "sprint_retros", "re1", ["notes": "after"])
        #expect(try await viewer.history("sprint_retros", "re1").story == [#"4: notes "SECRET" -> "after""#])
    }

    @Test func whatWasWrittenBeforeAMembershipStaysClosed() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        try await scene.insertTasks(["t"])
        try await change(scene, "tasks", "t", ["notes": "SECRET"], ["notes": ""])
        #expect(try await viewer.history("tasks", "t").versions == [3, 2, 1])
        try await scene.removeMember(.viewer)
        try await change(scene, "tasks", "t", ["notes": "meanwhile"])
        #expect(try await viewer.history("tasks", "t").code == "not_found")
        try await scene.setRole(of: .viewer, to: .viewer)
        let back = try await viewer.history("tasks", "t")
        #expect(back.entries.isEmpty && back.isComplete == false)
        try await change(scene, "tasks", "t", ["notes": "after"])
        #expect(try await viewer.history("tasks", "t").story == [#"5: notes "meanwhile" -> "after""#])
        _ = try await scene.bench.user("root", isSuperuser: true)
        let all = try await scene.client(named: "root").history("tasks", "t")
        #expect(all.versions == [5, 4, 3, 2, 1] && all.isComplete == true)
    }

    /// Whoever is given an own-only row reads nothing of its former owner's time.
    @Test func anOwnRowsHistoryBeginsWithItsOwner() async throws {
        let team = try await Team(Scene(schemas: [HandOverTests.notes]))
        try await team.make("n", of: .member)
        for text in ["SECRET", "given"] { try await team.client(.member).patch("notes", "n", ["text": .string(text)]) }
        let own = try await team.client(.member).history("notes", "n")
        #expect(own.versions == [3, 2, 1] && own.isComplete == true)
        try await team.give("n", from: .member, to: .admin, .rest)
        #expect(try await team.client(.member).history("notes", "n").code == "not_found")
        let given = try await team.client(.admin).history("notes", "n")
        #expect(given.entries.isEmpty && given.isComplete == false)
        try await team.client(.admin).patch("notes", "n", ["text": "mine"])
        #expect(try await team.client(.admin).history("notes", "n").story == [#"5: text "given" -> "mine""#])
        _ = try await team.scene.bench.user("root", isSuperuser: true)
        #expect(try await team.scene.client(named: "root").history("notes", "n").code == "not_found")
    }
}
