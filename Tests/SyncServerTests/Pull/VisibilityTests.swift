import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Which rows are not delivered to whom, and what follows a change of role.
@Suite struct VisibilityTests {
    private let gated: Set = [RowKey("sprint_retros", "re1"), RowKey("retro_action_items", "ai1")]

    @Test func timeEntriesOfOthersDoNotTravel() async throws {
        let scene = try await Scene()
        try await scene.fill()
        #expect(try await scene.client(.member).drain().ids("time_entries") == ["te1"])
        #expect(try await scene.client(.admin).drain().ids("time_entries") == ["te-foreign"])
        #expect(try await scene.client(.owner).drain().ids("time_entries").isEmpty)
    }

    @Test func aTeamsRetroDoesNotTravelToViewers() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let viewer = try await scene.client(.viewer).drain()
        #expect(gated.isDisjoint(with: viewer.rows.keys) && gated.isDisjoint(with: viewer.deleted))
        #expect(gated.isSubset(of: try await scene.client(.member).drain().rows.keys))
    }

    @Test func whoIsDemotedGetsTheGatedRowsAsTombstones() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let before = try await member.drain()
        try await scene.setRole(of: .member, to: .viewer)
        let after = try await member.drain(since: before.timestamp, pageSize: 1)
        #expect(after.deleted == gated)
        #expect(!after.rows.keys.contains { gated.contains($0) })
    }

    @Test func whoIsPromotedGetsTheGatedRows() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let viewer = try await scene.client(.viewer)
        let before = try await viewer.drain()
        try await scene.setRole(of: .viewer, to: .member)
        let after = try await viewer.drain(since: before.timestamp, pageSize: 1)
        #expect(gated.isSubset(of: after.rows.keys))
    }
}
