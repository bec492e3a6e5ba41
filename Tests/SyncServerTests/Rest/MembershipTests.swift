import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Members who join, leave, and get higher or lower roles over REST.
@Suite struct MembershipTests {
    @Test func aNewMemberIsNamedAndLetIn() async throws {
        let scene = try await Scene()
        let user = try await scene.bench.accounts.addUser("nora", displayName: "Nora N.")
        let owner = try await scene.client(.owner)
        let created = try await owner.create("memberships", ["user": .int(user.id), "role": 100])
        #expect(created.status == 201 && created.at("/display_name") == "Nora N.")
        #expect(try await scene.client(named: "nora").page().status == 200)
        let again = try await owner.create("memberships", ["user": .int(user.id), "role": 1])
        #expect(again.status == 400 && again.errors == ["/user not_unique"])
    }

    @Test func onlyAnAccountThatCanLogInBecomesAMember() async throws {
        let scene = try await Scene()
        let user = try await scene.bench.accounts.addUser("gone")
        try await scene.bench.accounts.disableUser("gone")
        let owner = try await scene.client(.owner)
        for id in [user.id, 4711, -1] {
            let answer = try await owner.create("memberships", ["user": .int(id), "role": 100])
            #expect(answer.status == 400 && answer.errors == ["/user unknown_user"])
        }
        let id = try await owner.membership(of: scene.userID(.viewer))
        let answer = try await owner.patch("memberships", id, ["user": .int(user.id)])
        #expect(answer.status == 400 && answer.errors == ["/user read_only_field"])
    }

    @Test func whoLeavesIsClearedFromWhatSaysSo() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, member) = (try await scene.client(.owner), try await scene.client(.member))
        let user = scene.userID(.member)
        for (collection, id, field) in [
            ("tasks", "t1", "assignee"), ("risks", "r1", "owner"), ("retro_action_items", "ai1", "assignee"),
        ] { #expect(try await owner.patch(collection, id, .object([field: user])).status == 200) }
        let before = try await owner.drain()
        #expect(try await member.remove("memberships", try await member.membership(of: user)).status == 204)
        #expect(try await member.page().code == "membership_revoked")

        let after = try await owner.drain(since: before.timestamp)
        #expect(after.timestamp == before.timestamp + 1)
        #expect(after.row("tasks", "t1")?["assignee"] == JSON.null)
        #expect(after.row("risks", "r1")?["owner"] == JSON.null)
        #expect(after.row("retro_action_items", "ai1")?["assignee"] == JSON.null)
        #expect(after.rows.count == 3 && after.deleted.count == 1)
        #expect(try await owner.read("task_suggested_assignees", "sa1").at("/suggested_user") == user)
    }

    @Test func theLastOwnerStays() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        let id = try await owner.membership(of: scene.userID(.owner))
        for answer in [
            try await owner.patch("memberships", id, ["role": 300]), try await owner.remove("memberships", id),
        ] { #expect(answer.status == 409 && answer.code == "last_owner") }
        let admin = try await owner.membership(of: scene.userID(.admin))
        try await owner.patch("memberships", admin, ["role": 400])
        #expect(try await owner.remove("memberships", id).status == 204)
    }

    @Test func whoComesBackBeforeTheNextPullLosesAndKeepsNothingWrong() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, member) = (try await scene.client(.owner), try await scene.client(.member))
        let before = try await member.drain()
        let id = try await owner.membership(of: scene.userID(.member))
        try await owner.remove("memberships", id)
        try await owner.create("memberships", ["user": scene.userID(.member), "role": 1])
        let after = try await member.drain(since: before.timestamp, pageSize: 1)
        #expect(after.isDeleted("sprint_retros", "re1") && after.isDeleted("retro_action_items", "ai1"))
        #expect(after.isDeleted("memberships", id))
        let kept = before.rows.merging(after.rows) { $1 }.filter { !after.deleted.contains($0.key) }
        #expect(kept == (try await member.drain()).rows)
    }
}
