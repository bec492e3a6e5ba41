import Foundation
import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit
import Synchronization
import Testing

/// Users of an outside issuer.
@Suite struct OutsideIdentityTests {
    private let forge: Forge

    init() async throws { forge = try await Forge() }

    private func scene(
        _ keys: KeySource? = nil, _ change: (inout AccountSettings) -> Void = { _ in }
    ) async throws -> Scene {
        var settings = Forge.accounts
        change(&settings)
        return try await Scene(
            accounts: Accounts(settings: settings, passwords: .quick), keys: keys ?? forge.source())
    }

    @Test func anUnknownUserGetsAnAccountOnFirstSight() async throws {
        let scene = try await scene()
        let token = try forge.token("s-1", ["preferred_username": "carol", "name": "Carol Cole"])
        let first = try await scene.stranger.bearing(token).me()
        #expect(first.status == 200)
        #expect(first.at("/username") == "carol")
        #expect(first.at("/display_name") == "Carol Cole")
        #expect(first.at("/is_superuser") == false)
        let renamed = try forge.token("s-1", ["preferred_username": "caroline"])
        #expect(try await scene.stranger.bearing(renamed).me().json == first.json)
        #expect(try await scene.stranger.bearing(token).send("GET", "/api/v1/projects/").status == 200)
    }

    @Test func keysOfAllKindsAreGood() async throws {
        let scene = try await scene()
        for (kid, key) in [("r1", forge.rsa), ("e1", forge.ecdsa), ("o1", forge.eddsa)] {
            let token = try forge.token("s-1", header: ["kid": .string(kid)], key: key)
            #expect(try await scene.stranger.bearing(token).me().status == 200, "\(kid)")
        }
    }

    @Test func firstRequestsAtOnceMakeOneAccount() async throws {
        let scene = try await scene()
        let client = scene.stranger.bearing(try forge.token("s-1"))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<8 { group.addTask { try await client.me() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.text)).count == 1)
        #expect(answers.allSatisfy { $0.status == 200 })
    }

    @Test func aNameThatIsTakenIsNotTakenOver() async throws {
        let scene = try await scene()
        let id = try await scene.addAlice()
        let client = scene.stranger.bearing(try forge.token("s-'1", ["preferred_username": "alice"]))
        let refused = try await client.me()
        #expect(refused.status == 401)
        #expect(refused.code == "unauthorized")
        #expect(refused.header("WWW-Authenticate") != nil)
        #expect(
            refused.at("/detail")?.string?.contains(
                #"tidemark user link 'alice' --issuer 'https://id.example.org/' --subject 's-'\''1'"#) == true)
        try await scene.bench.accounts.link("alice", issuer: Forge.issuer, subject: "s-'1")
        #expect(try await client.me().at("/id") == .int(id))
    }

    @Test func withKnownAccountsOnlyALinkedIdentityGetsIn() async throws {
        let scene = try await scene { $0.identityAccounts = "known" }
        let id = try await scene.addAlice()
        let client = scene.stranger.bearing(try forge.token("s-1", ["preferred_username": "carol"]))
        let refused = try await client.me()
        #expect(refused.status == 401 && refused.code == "unauthorized")
        let command = "tidemark user link NAME --issuer 'https://id.example.org/' --subject 's-1'"
        #expect(refused.at("/detail")?.string?.contains(command) == true)
        #expect(try await scene.bench.accounts.users().allSatisfy { $0.username != "carol" })
        try await scene.bench.accounts.link("alice", issuer: Forge.issuer, subject: "s-1")
        #expect(try await client.me().at("/id") == .int(id))
    }

    @Test func theClaimOfTheNameCanBeSetAndTheSubjectStandsIn() async throws {
        let scene = try await scene { $0.identityUsernameClaim = "email" }
        let mail = try forge.token("s-1", ["email": "carol@example.org"])
        #expect(try await scene.stranger.bearing(mail).me().at("/username") == "carol@example.org")
        let none = try forge.token("s-2")
        #expect(try await scene.stranger.bearing(none).me().at("/username") == "s-2")
        let bad = try forge.token("s-3", ["email": "not a name"])
        let answer = try await scene.stranger.bearing(bad).me()
        #expect(answer.status == 401)
        #expect(answer.at("/detail")?.string?.contains("TIDEMARK_IDENTITY_USERNAME_CLAIM") == true)
    }

    @Test func aDisabledAccountIsRefused() async throws {
        let scene = try await scene()
        let client = scene.stranger.bearing(try forge.token("s-1"))
        #expect(try await client.me().status == 200)
        try await scene.bench.accounts.disableUser("s-1-name")
        #expect(try await client.me().status == 401)
    }

    @Test func newKeysAreFetchedOnceAMinuteAndOldOnesKeptWhenThatFails() async throws {
        struct Away: Error {}
        let reads = Mutex(0)
        let set = Mutex<Data?>(forge.keySet(["r1"]))
        let source = KeySource(name: "test") {
            reads.withLock { $0 += 1 }
            return try set.withLock { try $0 ?? { throw Away() }() }
        }
        let scene = try await scene(source)
        let old = scene.stranger.bearing(try forge.token("s-1"))
        let new = scene.stranger.bearing(try forge.token("s-1", header: ["kid": "e1"], key: forge.ecdsa))
        set.withLock { $0 = nil }
        scene.clock.advance(by: .seconds(60))
        for _ in 0..<3 { #expect(try await new.me().status == 401) }
        #expect(reads.withLock { $0 } == 2)
        #expect(try await old.me().status == 200)
        set.withLock { $0 = forge.keySet(["e1"]) }
        scene.clock.advance(by: .seconds(59))
        #expect(try await new.me().status == 401)
        scene.clock.advance(by: .seconds(1))
        #expect(try await new.me().status == 200)
        #expect(try await old.me().status == 401)
        #expect(reads.withLock { $0 } == 3)
    }

    @Test func aSetThatTurnsBadIsNotTaken() async throws {
        let set = Mutex(forge.keySet(["r1"]))
        let scene = try await scene(KeySource(name: "test") { set.withLock { $0 } })
        set.withLock { $0 = #"{"keys": [{"kty": "oct", "kid": "r1", "k": "AAAA"}]}"#.data }
        scene.clock.advance(by: .seconds(60))
        let unknown = try forge.token("s-1", header: ["kid": "e1"], key: forge.ecdsa)
        #expect(try await scene.stranger.bearing(unknown).me().status == 401)
        #expect(try await scene.stranger.bearing(forge.token("s-1")).me().status == 200)
    }

    @Test func anIssuerThatIsAwayAtTheStartIsAskedWhenItsFirstTokenComes() async throws {
        struct Away: Error {}
        let set = Mutex<Data?>(nil)
        let scene = try await scene(KeySource(name: "test") { try set.withLock { try $0 ?? { throw Away() }() } })
        set.withLock { $0 = forge.keySet() }
        #expect(try await scene.stranger.bearing(forge.token()).me().status == 200)
    }
}
