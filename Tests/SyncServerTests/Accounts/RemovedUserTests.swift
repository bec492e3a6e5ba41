import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// What other members and their phones see when the operator ends memberships.
@Suite struct RemovedUserTests {
    private func memberships(_ answer: Answer, _ bucket: String) -> [JSON] {
        answer.at("/changes/memberships/\(bucket)")?.array ?? []
    }

    @Test func aRemovedUsersMembershipIsATombstoneToOthers() async throws {
        let scene = try await Scene()
        let (owner, member) = (try await scene.client(.owner), try await scene.client(.member))
        let membership = try await owner.membership(of: scene.userID(.member))
        let since = try #require(try await owner.page(["since": "0"]).at("/timestamp")?.int)
        #expect(try await member.page().status == 200)
        #expect(try await scene.bench.members.removeUser(scene.bench.caller(.member).username.rawValue) == 1)
        let page = try await owner.page(["since": "\(since)"])
        #expect(memberships(page, "deleted") == [.string(membership)])
        #expect(try await member.page().status == 401)
    }

    @Test func fieldsThatNameTheUserAreClearedAndRowsStay() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        let task = try await owner.create("tasks", ["name": "Dig", "assignee": scene.userID(.member)])
        let id = try #require(task.at("/id")?.string)
        try await scene.bench.members.removeMember(scene.bench.caller(.member).username.rawValue, from: "p1")
        let row = try await owner.read("tasks", id)
        #expect(row.at("/assignee") == JSON.null && row.at("/name") == "Dig")
    }

    @Test func theOnlyOwnerStaysWithAllMembershipsAndTokens() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        let other = try await scene.otherProject()
        try await scene.bench.members.addMember(scene.bench.caller(.owner).username.rawValue, to: "p2", as: .member)
        let problem = await #expect(throws: Problem.self) {
            try await scene.bench.members.removeUser(scene.bench.caller(.owner).username.rawValue)
        }
        #expect(problem?.code == .lastOwner && problem?.detail.contains("Test (p1)") == true)
        #expect(problem?.detail.contains("(p2)") == false)
        #expect(try await owner.page().status == 200)
        #expect(try await scene.bench.members.members(of: other.project).count == Role.allCases.count + 1)
    }

    @Test func theNameStaysTakenAndTheAccountCanBeTakenBack() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        try await scene.addAlice()
        try await scene.bench.members.removeUser("alice")
        let problem = await #expect(throws: Problem.self) { try await scene.bench.accounts.addUser("alice") }
        #expect(problem?.code == .notUnique && problem?.detail.contains("tidemark user enable alice") == true)
        try await scene.bench.accounts.enableUser("alice")
        #expect(try await scene.stranger.logIn().status == 401)
        try await scene.bench.accounts.setPassword("another horse", of: "alice")
        #expect(try await scene.stranger.logIn("alice", "another horse").status == 200)
    }

    @Test func anOutsideIdentityOfTheUserStaysOut() async throws {
        let forge = try await Forge()
        let scene = try await Scene(
            accounts: Accounts(settings: Forge.accounts, passwords: .quick), keys: forge.source())
        let token = try forge.token("s-1", ["preferred_username": "carol"])
        #expect(try await scene.stranger.bearing(token).me().status == 200)
        try await scene.bench.members.removeUser("carol")
        let renamed = try forge.token("s-1", ["preferred_username": "caroline"])
        for text in [token, renamed] { #expect(try await scene.stranger.bearing(text).me().status == 401) }
    }
}
