import Foundation
@testable import SyncAccounts
import SyncProtocol
@testable import SyncServer
import SyncTestKit
import Testing

/// What the operator learns of a refused token of the outside issuer, and what the caller does.
@Suite struct IdentityRefusalTests {
    private let forge: Forge
    private let log = CapturedLog()
    private let scene: Scene

    init() async throws {
        forge = try await Forge()
        scene = try await Scene(
            accounts: Accounts(settings: Forge.accounts, passwords: .quick), keys: forge.source(),
            logger: log.logger(LogSettings()))
    }

    private func refusals() -> [String] { log.lines.filter { $0.contains("of the outside issuer was refused") } }

    /// The caller is told the same for each reason.
    private func refuse(_ token: String) async throws {
        let answer = try await scene.stranger.bearing(token).me()
        #expect(answer.status == 401 && answer.code == "unauthorized")
        #expect(answer.at("/detail") == .string(Problem.unauthorized.detail))
    }

    @Test(arguments: [
        ("iss", JSON.string("https://evil.example/"), "issuer"), ("aud", "another-app", "audience"),
        ("exp", 1, "expired"),
        ("nbf", 9_000_000_000, "not_yet"), ("sub", JSON.string(String(repeating: "s", count: 256)), "subject"),
    ]) func aSignedTokenIsToldWithWhatItClaims(claim: String, value: JSON, reason: String) async throws {
        try await refuse(forge.token("s-1", [claim: value]))
        let lines = refusals()
        #expect(lines.count == 1)
        #expect(lines.first?.contains("reason=\(reason)") == true, "\(lines)")
        #expect(lines.first?.contains("claimed=") == true && lines.first?.contains("expected=") == true)
        #expect(lines.first?.contains((value.string ?? value.text).prefix(150)) == true)
    }

    @Test func ofAnUnsignedTokenNothingIsToldThatItSays() async throws {
        let stranger = try await Forge()
        try await refuse(stranger.token("s-1", ["aud": "written-by-a-stranger"]))
        try await refuse(forge.token("s-1", ["aud": "written-by-a-stranger"], header: ["kid": "of-a-stranger"]))
        let lines = refusals()
        #expect(lines.count == 2)
        #expect(lines.contains { $0.contains("reason=signature") } && lines.contains { $0.contains("reason=key") })
        #expect(!log.lines.joined().contains("stranger"))
    }

    @Test func aNameThatIsTakenIsTold() async throws {
        _ = try await scene.addAlice()
        let token = try forge.token("s-1", ["preferred_username": "alice"])
        #expect(try await scene.stranger.bearing(token).me().status == 401)
        #expect(refusals().count == 1)
        #expect(refusals().first?.contains("reason=name") == true && refusals().first?.contains("alice") == true)
    }

    @Test func eachReasonIsToldOnceAMinuteWithHowManyMore() async throws {
        let expired = try forge.token("s-1", ["exp": 1])
        let other = try forge.token("s-1", ["aud": "x"])
        for _ in 0..<5 { try await refuse(expired) }
        try await refuse(other)
        #expect(refusals().count == 2)
        scene.clock.advance(by: .seconds(60))
        try await refuse(expired)
        #expect(refusals().count == 3)
        #expect(refusals().last?.contains("others=4") == true)
        // A clock that is set back does not silence it.
        scene.clock.advance(by: .seconds(-3600))
        try await refuse(expired)
        #expect(refusals().count == 4)
    }

    @Test func whatIsClaimedIsCut() {
        let refusal = IdentityRefusal(.issuer, claimed: String(repeating: "x", count: 10_000), expected: "y")
        #expect(refusal.claimed?.count == 200)
    }
}
