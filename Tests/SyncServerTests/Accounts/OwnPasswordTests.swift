import Foundation
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// `POST /auth/password/`.
@Suite struct OwnPasswordTests {
    private static let fresh = "another horse"

    private func scene() async throws -> (Scene, Answer) {
        let scene = try await Scene(accounts: Scene.unlimited)
        try await scene.addAlice()
        return (scene, try await scene.stranger.logIn())
    }

    private func change(
        _ client: Client, _ current: String = Scene.password, _ new: String = OwnPasswordTests.fresh
    ) async throws -> Answer {
        let body: JSON = ["current_password": .string(current), "new_password": .string(new)]
        return try await client.send("POST", "/api/v1/auth/password/", body.data)
    }

    @Test func theNewPasswordCountsFromNowOnAndTheOldOneNoMore() async throws {
        let (scene, login) = try await scene()
        let answer = try await change(scene.stranger.bearing(login.access))
        #expect(answer.status == 200)
        #expect(answer.header("Cache-Control")?.contains("no-store") == true)
        #expect(try await scene.stranger.logIn().code == "invalid_credentials")
        #expect(try await scene.stranger.logIn("alice", Self.fresh).status == 200)
    }

    /// A copied token or password is worth nothing afterwards; the caller goes on with the new pair.
    @Test func allSessionsEndAndTheCallerGetsANewOne() async throws {
        let (scene, login) = try await scene()
        let other = try await scene.stranger.logIn()
        let pair = try await change(scene.stranger.bearing(login.access))
        for old in [login, other] {
            #expect(try await scene.stranger.bearing(old.access).me().status == 401)
            #expect(try await scene.stranger.refresh(old.refresh).code == "invalid_refresh_token")
        }
        #expect(try await scene.stranger.bearing(pair.access).me().at("/username") == "alice")
        #expect(try await scene.stranger.refresh(pair.refresh).status == 200)
    }

    @Test func personalTokensStayAndMayAskForItButNotReadOnlyOnes() async throws {
        let (scene, _) = try await scene()
        let client = try await scene.client(named: "alice")
        let pair = try await change(client)
        #expect(pair.status == 200)
        #expect(try await client.me().status == 200)
        #expect(try await scene.stranger.bearing(pair.access).me().status == 200)
        let reader = try await scene.client(named: "alice", isReadOnly: true)
        #expect(try await change(reader, Self.fresh, "a third horse").code == "read_only_token")
    }

    @Test func aWrongPasswordChangesNothing() async throws {
        let (scene, login) = try await scene()
        let alice = scene.stranger.bearing(login.access)
        let answer = try await change(alice, "wrong horse")
        #expect(answer.status == 401 && answer.code == "invalid_credentials")
        #expect(try await alice.me().status == 200)
        #expect(try await scene.stranger.logIn().status == 200)
    }

    @Test func anAccountWithoutAPasswordGetsNoneByIt() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        #expect(try await change(try await scene.client(.member)).code == "invalid_credentials")
    }

    @Test(arguments: ["short", String(repeating: "x", count: 1025), "with a \u{0} in it"])
    func aPasswordThatBreaksTheRulesIsRefusedBeforeATryIsCounted(new: String) async throws {
        var accounts = Accounts(passwords: .quick)
        accounts.settings.loginsPerAccount = 2
        let scene = try await Scene(accounts: accounts)
        try await scene.addAlice()
        let alice = scene.stranger.bearing(try await scene.stranger.logIn().access)
        for _ in 0..<5 {
            let answer = try await change(alice, Scene.password, new)
            #expect(answer.status == 400 && answer.code == "bad_format")
        }
        #expect(try await change(alice).status == 200)
    }

    @Test func itIsGuessedNoFasterThanALogin() async throws {
        let scene = try await Scene(accounts: Accounts(passwords: .quick))
        try await scene.addAlice()
        let alice = scene.stranger.bearing(try await scene.stranger.logIn().access)
        for _ in 0..<5 { #expect(try await change(alice, "wrong horse").status == 401) }
        let limited = try await change(alice)
        #expect(limited.status == 429 && limited.code == "rate_limited")
        #expect(limited.header("Retry-After") == "12")
    }

    @Test(arguments: ["{}", "[]", #"{"current_password": "a"}"#, #"{"current_password": "a", "new_password": 7}"#])
    func aBodyThatIsNotUnderstoodIsRefused(body: String) async throws {
        let (scene, login) = try await scene()
        let answer = try await scene.stranger.bearing(login.access)
            .send("POST", "/api/v1/auth/password/", Data(body.utf8))
        #expect(answer.status == 400 && answer.code == "invalid_body")
    }

    @Test func withoutATokenNobodyIsAsked() async throws {
        let (scene, _) = try await scene()
        #expect(try await change(scene.stranger).code == "unauthorized")
    }

    @Test func whoLogsInByAnOutsideIssuerIsSentThere() async throws {
        let forge = try await Forge()
        let scene = try await Scene(
            accounts: Accounts(settings: Forge.accounts, passwords: .quick), keys: forge.source())
        let client = scene.stranger.bearing(try forge.token("s-1"))
        let answer = try await change(client)
        #expect(answer.status == 403 && answer.code == "forbidden")
        #expect(answer.at("/detail")?.string?.contains("outside issuer") == true)
    }
}
