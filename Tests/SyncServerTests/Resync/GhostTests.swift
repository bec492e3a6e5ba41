import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// What a phone has that was away and came back.
@Suite struct GhostTests {
    private func expectEqual(_ phone: Phone, _ role: Role, _ scene: Scene) async throws {
        #expect(try await phone.rows == scene.bench.visibleRows(to: scene.bench.caller(role), as: role))
    }

    @Test func aPhoneFromBelowTheHorizonStartsAnewAndKeepsNoGhost() async throws {
        let scene = try await Scene()
        try await scene.fill()
        var (away, present) = (Phone(try await scene.client(.viewer)), Phone(try await scene.client(.member)))
        try await away.pull()
        try await scene.bench.edit { try $0.delete("tasks", "t1") }
        try await present.pull()
        #expect(try await scene.bench.purge().tombstones > 0)
        try await scene.insertTasks(["t4"])
        try await away.pull()
        try await present.pull()
        #expect(away.refusals == ["since_expired"] && present.refusals.isEmpty)
        #expect(away.rows[RowKey("tasks", "t1")] == nil)
        try await expectEqual(away, .viewer, scene)
        try await expectEqual(present, .member, scene)
    }

    /// A retro is closed to the viewer, deleted and purged before the viewer pulls.
    @Test func aHiddenRowThatWasPurgedLeavesNoGhost() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.bench.edit { try $0.update("sprint_retros", "re1", ["team_visibility": "project"]) }
        var (early, late) = (Phone(try await scene.client(.viewer)), Phone(try await scene.client(.viewer)))
        try await early.pull()
        try await late.pull()
        try await scene.bench.edit { try $0.update("sprint_retros", "re1", ["team_visibility": "team_only"]) }
        try await early.pull()
        try await scene.bench.edit { try $0.delete("sprint_retros", "re1") }
        try await scene.bench.purge()
        for var phone in [early, late] {
            try await phone.pull()
            try await expectEqual(phone, .viewer, scene)
        }
    }

    // MARK: References that died meanwhile

    /// While offline, a phone made tasks that refer to a parent, a sprint
    /// and an assignee, which were all deleted or removed meanwhile.
    private func orphaned() async throws -> (scene: Scene, phone: Phone) {
        let scene = try await Scene()
        try await scene.insertTasks(["parent"])
        try await scene.insertSprint("s1")
        var phone = Phone(try await scene.client(.member))
        try await phone.pull()
        phone.unsent = [
            "child": ["id": "child", "name": "C", "parent": "parent"],
            "planned": ["id": "planned", "name": "P", "sprint": "s1"],
            "assigned": ["id": "assigned", "name": "A", "assignee": scene.userID(.viewer)],
            "fine": ["id": "fine", "name": "F"],
        ]
        try await scene.bench.edit { editor in
            try editor.delete("tasks", "parent")
            try editor.delete("sprints", "s1")
        }
        try await scene.removeMember(.viewer)
        return (scene, phone)
    }

    @Test func newTasksWhoseParentSprintOrAssigneeWentAreTakenAndTheNextDrainPutsThemRight() async throws {
        var (scene, phone) = try await orphaned()
        #expect(try await phone.push().status == 200)
        try await phone.pull()
        #expect(phone.unsent.isEmpty && phone.refusals.isEmpty)
        #expect(phone.rows[RowKey("tasks", "child")] == nil)
        try await expectEqual(phone, .member, scene)
        phone.unsent["more"] = ["id": "more", "name": "M"]
        try await phone.sync()
        try await expectEqual(phone, .member, scene)
    }

    @Test func afterAPurgeThePhoneIsToldToBeginAnewAndThenWhichTasksToMend() async throws {
        var (scene, phone) = try await orphaned()
        try await scene.bench.purge()
        let head = try await phone.client.head()
        #expect(try await phone.push().code == "since_expired")
        #expect(try await phone.client.head() == head)
        try await phone.pull()
        #expect(
            try await phone.push().errors == [
                "/changes/tasks/created/1/parent unknown_reference",
                "/changes/tasks/created/3/sprint unknown_reference",
            ])
        #expect(try await phone.push(members: ["on_error": "reject_rows"]).status == 200)
        #expect(Set(phone.unsent.keys) == ["child", "planned"])
        phone.unsent = ["planned": ["id": "planned", "name": "P"]]
        try await phone.sync()
        try await expectEqual(phone, .member, scene)
    }

    /// If a client does not send its watermark, the server can't say that it is too old.
    @Test func withoutAWatermarkAReferenceToAPurgedRowIsAnUnknownOne() async throws {
        let (scene, phone) = try await orphaned()
        try await scene.bench.purge()
        let answer = try await phone.client.upload(created: phone.unsent.values.filter { $0["id"] == "child" })
        #expect(answer.errors == ["/changes/tasks/created/0/parent unknown_reference"])
    }
}
