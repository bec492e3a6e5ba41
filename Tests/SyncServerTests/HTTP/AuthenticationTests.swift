import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

/// Who may use the API at all.
@Suite struct AuthenticationTests {
    private func expectChallenge(_ answer: Answer) {
        #expect(answer.status == 401)
        #expect(answer.code == "unauthorized")
        #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
    }

    @Test func noTokenIsChallenged() async throws {
        let scene = try await Scene()
        for path in ["/api/v1/projects/p1/sync/", "/projects/p1/sync", "/api/v1/projects/", "/api/v1/schemas/"] {
            expectChallenge(try await scene.stranger.send("GET", path))
        }
        expectChallenge(try await scene.stranger.upload())
    }

    @Test(arguments: [
        "Bearer", "Bearer ", "Bearer x", "Bearer tmk_", "Bearer tmk_nobodys", "Basic dTpw", "tmk_x", "Bearer a b c",
    ])
    func garbageIsChallenged(authorization: String) async throws {
        let scene = try await Scene()
        expectChallenge(try await scene.stranger.page(headers: ["Authorization": authorization]))
    }

    @Test func theSchemesNameIsReadInAnyCase() async throws {
        let scene = try await Scene()
        let token = try #require(try await scene.client(.viewer).token)
        for scheme in ["Bearer", "bearer", "BEARER"] {
            #expect(try await scene.stranger.page(headers: ["Authorization": "\(scheme) \(token)"]).status == 200)
        }
    }

    @Test func aTokenWithACharacterChangedIsChallenged() async throws {
        let scene = try await Scene()
        var member = try await scene.client(.member)
        member.token = member.token.map { $0.dropLast() + ($0.hasSuffix("A") ? "B" : "A") }
        expectChallenge(try await member.page())
    }

    @Test func aTokenEndsWithItsExpiry() async throws {
        let scene = try await Scene()
        let member = try await scene.client(named: "member-p1", validFor: .seconds(60))
        #expect(try await member.page().status == 200)
        scene.clock.advance(by: .seconds(59))
        #expect(try await member.page().status == 200)
        scene.clock.advance(by: .seconds(1))
        expectChallenge(try await member.page())
    }

    @Test func aDisabledUsersTokenIsChallenged() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(try await member.page().status == 200)
        try await scene.bench.accounts.disableUser("member-p1")
        expectChallenge(try await member.page())
        expectChallenge(try await member.upload())
    }

    @Test func aReadOnlyTokenMayPullAndNotPush() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner, isReadOnly: true)
        #expect(try await owner.page().status == 200)
        let pushed = try await owner.upload(created: [["id": "t1", "name": "A"]])
        #expect(pushed.status == 403)
        #expect(pushed.code == "read_only_token")
        let made = try await owner.send("POST", "/api/v1/projects/", #"{"name": "A", "start_date": "2026-01-05"}"#.data)
        #expect(made.status == 403)
        #expect(made.code == "read_only_token")
        #expect(try await owner.task("t1") == nil)
    }
}
