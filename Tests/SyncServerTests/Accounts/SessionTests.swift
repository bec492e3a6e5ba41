import Foundation
@testable import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Sessions and their tokens: `POST /auth/token/refresh/` and `POST /auth/logout/`.
@Suite struct SessionTests {
    private func scene() async throws -> (Scene, Client, Answer) {
        let scene = try await Scene(accounts: Scene.unlimited)
        try await scene.addAlice()
        return (scene, scene.stranger, try await scene.stranger.logIn())
    }

    private func expectDead(_ access: String, _ client: Client) async throws {
        let answer = try await client.bearing(access).me()
        #expect(answer.status == 401)
        #expect(answer.code == "unauthorized")
    }

    @Test func aRefreshTokenBuysThePairThatFollows() async throws {
        let (_, client, login) = try await scene()
        var pair = login
        for _ in 0..<3 {
            let next = try await client.refresh(pair.refresh)
            #expect(next.status == 200)
            #expect(next.refresh != pair.refresh && next.access != pair.access)
            #expect(try await client.bearing(next.access).me().status == 200)
            #expect(try await client.bearing(pair.access).me().status == 200)
            pair = next
        }
    }

    @Test func aUsedRefreshTokenEndsTheSessionAndItsAccessTokens() async throws {
        let (scene, client, login) = try await scene()
        let other = try await client.logIn()
        let next = try await client.refresh(login.refresh)
        let last = try await client.refresh(next.refresh)
        scene.clock.advance(by: .seconds(60))
        let reuse = try await client.refresh(login.refresh)
        #expect(reuse.status == 401)
        #expect(reuse.code == "invalid_refresh_token")
        try await expectDead(login.access, client)
        try await expectDead(next.access, client)
        try await expectDead(last.access, client)
        #expect(try await client.refresh(next.refresh).status == 401)
        #expect(try await client.refresh(last.refresh).status == 401)
        #expect(try await client.bearing(other.access).me().status == 200)
        #expect(try await client.refresh(other.refresh).status == 200)
    }

    /// The answer to the first refresh was lost.
    @Test func withinAMinuteAUsedRefreshTokenBuysTheSamePairAgain() async throws {
        let (scene, client, login) = try await scene()
        let lost = try await client.refresh(login.refresh)
        scene.clock.advance(by: .seconds(59))
        let again = try await client.refresh(login.refresh)
        #expect(again.status == 200 && again.refresh == lost.refresh)
        for pair in [login, lost, again] { #expect(try await client.bearing(pair.access).me().status == 200) }
        let next = try await client.refresh(again.refresh)
        #expect(next.status == 200 && next.refresh != again.refresh)
    }

    private static let day = Duration.seconds(86_400)

    /// A phone that was in a tunnel, or in a drawer.
    @Test(arguments: [Duration.seconds(61), .seconds(3600), SessionTests.day * 29])
    func aLostAnswerIsGivenAgainWhileNobodyUsedIt(later: Duration) async throws {
        let (scene, client, login) = try await scene()
        let lost = try await client.refresh(login.refresh)
        for _ in 0..<2 {
            scene.clock.advance(by: later / 2)
            let again = try await client.refresh(login.refresh)
            #expect(again.status == 200 && again.refresh == lost.refresh)
            #expect(try await client.bearing(again.access).me().status == 200)
        }
        let next = try await client.refresh(lost.refresh)
        #expect(next.status == 200)
        #expect(try await client.refresh(login.refresh).code == "invalid_refresh_token")
        #expect(try await client.refresh(next.refresh).status == 401, "What is older than the parent ends the session.")
    }

    /// The token itself would have expired before.
    @Test func aLostAnswerIsGivenAgainUntilTheSessionExpires() async throws {
        let (scene, client, login) = try await scene()
        scene.clock.advance(by: Self.day * 29)
        let lost = try await client.refresh(login.refresh)
        for _ in 0..<3 {
            scene.clock.advance(by: Self.day * 9)
            _ = try await client.logIn()
            let again = try await client.refresh(login.refresh)
            #expect(again.status == 200 && again.refresh == lost.refresh)
        }
        scene.clock.advance(by: Self.day * 3)
        #expect(try await client.refresh(login.refresh).code == "invalid_refresh_token")
        #expect(try await client.refresh(lost.refresh).code == "invalid_refresh_token")
    }

    /// Another server took the first refresh, or the clock was set.
    @Test(arguments: [1, 30, 600]) func aClockThatIsBehindEndsNoSession(seconds: Int) async throws {
        let (scene, client, login) = try await scene()
        let lost = try await client.refresh(login.refresh)
        scene.clock.advance(by: .seconds(-seconds))
        let again = try await client.refresh(login.refresh)
        #expect(again.status == 200 && again.refresh == lost.refresh)
        #expect(try await client.refresh(lost.refresh).status == 200)
    }

    @Test func anAccessTokenMayStartAMinuteInTheFuture() async throws {
        let (scene, client, login) = try await scene()
        scene.clock.advance(by: .seconds(-60))
        #expect(try await client.bearing(login.access).me().status == 200)
        scene.clock.advance(by: .seconds(-1))
        #expect(try await client.bearing(login.access).me().status == 401, "though it is remembered")
    }

    @Test func onceTheNextRefreshTokenIsUsedTheOneBeforeEndsTheSession() async throws {
        let (_, client, login) = try await scene()
        let next = try await client.refresh(login.refresh)
        let last = try await client.refresh(next.refresh)
        #expect(try await client.refresh(login.refresh).code == "invalid_refresh_token")
        try await expectDead(last.access, client)
        #expect(try await client.refresh(last.refresh).status == 401)
    }

    @Test func aUsedRefreshTokenOfADisabledUserBuysNothing() async throws {
        let (scene, client, login) = try await scene()
        _ = try await client.refresh(login.refresh)
        try await scene.bench.accounts.disableUser("alice")
        #expect(try await client.refresh(login.refresh).code == "invalid_refresh_token")
        try await scene.bench.accounts.enableUser("alice")
        #expect(try await client.refresh(login.refresh).code == "invalid_refresh_token")
    }

    @Test func ofTwoRefreshesAtOnceBothGetTheSameToken() async throws {
        let (_, client, _) = try await scene()
        for _ in 0..<5 {
            let fresh = try await client.logIn()
            async let first = client.refresh(fresh.refresh)
            async let second = client.refresh(fresh.refresh)
            let answers = try await [first, second]
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers[0].refresh == answers[1].refresh)
            #expect(try await client.refresh(answers[0].refresh).status == 200)
        }
    }

    @Test func aLogoutEndsTheSessionAndMayBeRepeated() async throws {
        let (_, client, login) = try await scene()
        let next = try await client.refresh(login.refresh)
        for token in [next.refresh, next.refresh, "tmr_unknown", "", "x"] {
            let answer = try await client.logOut(token)
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)
        }
        try await expectDead(next.access, client)
        #expect(try await client.refresh(next.refresh).status == 401)
    }

    @Test func aLogoutByAUsedTokenEndsTheSessionToo() async throws {
        let (_, client, login) = try await scene()
        let next = try await client.refresh(login.refresh)
        #expect(try await client.logOut(login.refresh).status == 204)
        try await expectDead(next.access, client)
    }

    @Test func anAccessTokenLivesAQuarterOfAnHour() async throws {
        let (scene, client, login) = try await scene()
        scene.clock.advance(by: .seconds(15 * 60 - 1))
        #expect(try await client.bearing(login.access).me().status == 200)
        scene.clock.advance(by: .seconds(1))
        try await expectDead(login.access, client)
        #expect(try await client.refresh(login.refresh).status == 200)
    }

    @Test func aRefreshTokenLivesThirtyDaysAndEachUseStartsThemAnew() async throws {
        let (scene, client, login) = try await scene()
        scene.clock.advance(by: .seconds(30 * 86_400 - 1))
        let next = try await client.refresh(login.refresh)
        #expect(next.status == 200)
        scene.clock.advance(by: .seconds(30 * 86_400 - 1))
        let last = try await client.refresh(next.refresh)
        #expect(last.status == 200)
        scene.clock.advance(by: .seconds(30 * 86_400))
        #expect(try await client.refresh(last.refresh).code == "invalid_refresh_token")
    }

    @Test func whatExpiredIsForgottenWhenTheNextSessionStarts() async throws {
        let (scene, client, login) = try await scene()
        let hash = try #require(OpaqueToken(login.refresh, .refresh)).hash
        #expect(try await scene.bench.store.read { try $0.refreshToken(hash: hash) } != nil)
        scene.clock.advance(by: .seconds(31 * 86_400))
        _ = try await client.logIn()
        #expect(try await scene.bench.store.read { try $0.refreshToken(hash: hash) } == nil)
    }

    @Test func anUnknownRefreshTokenIsRefused() async throws {
        let (_, client, _) = try await scene()
        // Not as arguments of the test, because the runner prints those.
        for token in ["", "x", "tmr_", "tmr_AAAA", "tmk_AAAA", String(repeating: "t", count: 10_000)] {
            let answer = try await client.refresh(token)
            #expect(answer.status == 401)
            #expect(answer.code == "invalid_refresh_token")
            #expect(answer.header("WWW-Authenticate") != nil)
        }
    }

    @Test func tokensOfOneKindAreNoGoodForAnother() async throws {
        let (scene, client, login) = try await scene()
        try await expectDead(login.refresh, client)
        #expect(try await client.refresh(login.access).status == 401)
        let personal = try #require(try await scene.client(.member).token)
        #expect(try await client.refresh(personal).status == 401)
    }

    /// Looks for 256 random bits, which occur in no other column.
    @Test func theDatabaseHoldsNoTokenAndNoPassword() async throws {
        let (scene, client, login) = try await scene()
        let next = try await client.refresh(login.refresh)
        await scene.server.stop()
        let files = ["t.db", "t.db-wal"].compactMap { FileManager.default.contents(atPath: scene.folder.path($0)) }
        #expect(!files.isEmpty)
        for secret in [login.refresh, next.refresh, login.access, next.access, Scene.password] {
            for file in files { #expect(file.range(of: Data(secret.utf8)) == nil) }
        }
    }
}
