import SyncEngine
import SyncProtocol
import SyncTestKit
import Testing

/// Ids of rows that somebody never saw stay unknown, whatever becomes of the membership.
@Suite struct ReturningMemberTests {
    private func leaveAndComeBack(_ scene: Scene, _ owner: Client, as role: JSON) async throws {
        let user = scene.userID(.viewer)
        try await owner.remove("memberships", try await owner.membership(of: user))
        #expect(try await owner.create("memberships", ["user": user, "role": role]).status == 201)
    }

    @Test func aViewerWhoComesBackHearsNothingOfWhatWasNeverSeen() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let before = try await viewer.drain()
        try await leaveAndComeBack(scene, owner, as: 1)
        let after = try await viewer.drain(since: before.timestamp)
        #expect(after.deleted.allSatisfy { $0.collection == "memberships" }, "\(after.deleted)")
        let kept = before.rows.merging(after.rows) { $1 }.filter { !after.deleted.contains($0.key) }
        #expect(kept == (try await viewer.drain()).rows)
    }

    @Test func whatWasMadeAfterADemotionStaysUnknownOverALaterReturn() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertSprint("s2")
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let id = try await owner.membership(of: scene.userID(.viewer))
        try await owner.patch("memberships", id, ["role": 100])
        let asMember = try await viewer.drain()
        try await owner.patch("memberships", id, ["role": 1])
        let asViewer = try await viewer.drain(since: asMember.timestamp)
        #expect(asViewer.isDeleted("sprint_retros", "re1") && asViewer.isDeleted("retro_action_items", "ai1"))
        try await owner.create("sprint_retros", ["id": "re2", "sprint": "s2"])
        try await leaveAndComeBack(scene, owner, as: 1)
        let after = try await viewer.drain(since: asViewer.timestamp)
        #expect(after.deleted.allSatisfy { $0.collection == "memberships" }, "\(after.deleted)")
    }

    @Test func aRiseUndoneByALeaveTakesBackWhatItShowed() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let id = try await owner.membership(of: scene.userID(.viewer))
        try await owner.patch("memberships", id, ["role": 200])
        let before = try await viewer.drain()
        try await leaveAndComeBack(scene, owner, as: 1)
        let after = try await viewer.drain(since: before.timestamp)
        #expect(after.isDeleted("sprint_retros", "re1") && after.isDeleted("retro_action_items", "ai1"))
    }
}
