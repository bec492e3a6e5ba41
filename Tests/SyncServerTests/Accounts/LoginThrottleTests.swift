import SyncAccounts
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// How often a client may try to log in.
@Suite struct LoginThrottleTests {
    private func accounts(_ change: (inout AccountSettings) -> Void = { _ in }) -> Accounts {
        var accounts = Accounts(passwords: .quick)
        change(&accounts.settings)
        return accounts
    }

    @Test func anAccountIsTriedFiveTimesAMinuteFromAnAddress() async throws {
        let scene = try await Scene()
        try await scene.addAlice()
        for _ in 0..<5 { #expect(try await scene.stranger.logIn("alice", "wrong").status == 401) }
        let limited = try await scene.stranger.logIn()
        #expect(limited.status == 429)
        #expect(limited.code == "rate_limited")
        #expect(limited.header("Retry-After") == "12")
        #expect(try await scene.stranger.logIn("ALICE").status == 429)
        scene.clock.advance(by: .seconds(12))
        for _ in 0..<10 { #expect(try await scene.stranger.logIn().status == 200, "what succeeds does not count") }
        #expect(try await scene.stranger.logIn("alice", "wrong").status == 401)
        #expect(try await scene.stranger.logIn().status == 429)
    }

    /// A scene behind a proxy that names the client's address.
    private func proxied() async throws -> Scene {
        let scene = try await Scene(accounts: accounts { $0.trustsForwardedFor = true })
        try await scene.addAlice()
        return scene
    }

    @Test func aStrangerElsewhereKeepsNobodyOut() async throws {
        let scene = try await proxied()
        for _ in 0..<20 {
            _ = try await scene.stranger.logIn("alice", "wrong", headers: ["X-Forwarded-For": "192.0.2.1"])
        }
        let stranger = try await scene.stranger.logIn(headers: ["X-Forwarded-For": "192.0.2.1"])
        #expect(stranger.code == "rate_limited")
        let alice = try await scene.stranger.logIn(headers: ["X-Forwarded-For": "192.0.2.2"])
        #expect(alice.status == 200)
    }

    @Test func manyAddressesTryAnAccountFiftyTimesAMinute() async throws {
        let scene = try await proxied()
        var failed = 0
        for number in 0..<100 {
            let address = ["X-Forwarded-For": "192.0.2.\(number)"]
            if try await scene.stranger.logIn("alice", "wrong", headers: address).status == 401 { failed += 1 }
        }
        #expect(failed == 50)
        #expect(try await scene.stranger.logIn("bob", headers: ["X-Forwarded-For": "192.0.2.1"]).status == 401)
    }

    /// What was refused because of the account's bucket is taken back from the narrower one.
    @Test func whatAWiderLimitRefusesIsNotCountedAgainstTheAddress() async throws {
        let scene = try await proxied()
        for number in 0..<50 {
            let address = ["X-Forwarded-For": "192.0.2.\(number)"]
            _ = try await scene.stranger.logIn("alice", "wrong", headers: address)
        }
        let mine = ["X-Forwarded-For": "198.51.100.1"]
        for _ in 0..<10 { #expect(try await scene.stranger.logIn(headers: mine).header("Retry-After") == "2") }
        scene.clock.advance(by: .seconds(2))
        #expect(try await scene.stranger.logIn(headers: mine).status == 200)
    }

    @Test func anOfficeBehindOneAddressLogsIn() async throws {
        let scene = try await Scene()
        for number in 0..<15 {
            try await scene.addAlice("person\(number)")
            #expect(try await scene.stranger.logIn("person\(number)", "a slip").status == 401)
        }
        for number in 0..<150 { #expect(try await scene.stranger.logIn("person\(number % 15)").status == 200) }
    }

    /// Each is some work and a write.
    @Test func whoLogsInAllTheTimeIsLimitedToo() async throws {
        let scene = try await Scene()
        try await scene.addAlice()
        for _ in 0..<50 { #expect(try await scene.stranger.logIn().status == 200) }
        #expect(try await scene.stranger.logIn().status == 429)
        #expect(try await scene.stranger.logIn("bob").status == 401)
    }

    @Test func triesAtTheSameMomentAreNoMore() async throws {
        let scene = try await Scene()
        try await scene.addAlice()
        let failed = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await scene.stranger.logIn("alice", "wrong").status } }
            return try await group.reduce(0) { $0 + ($1 == 401 ? 1 : 0) }
        }
        #expect(failed == 5)
    }

    @Test func anAccountThatIsNotThereIsLimitedAlike() async throws {
        let scene = try await Scene()
        for _ in 0..<5 { #expect(try await scene.stranger.logIn("nobody").status == 401) }
        #expect(try await scene.stranger.logIn("nobody").status == 429)
    }

    @Test func anAddressFailsAHundredTimesAMinute() async throws {
        let scene = try await Scene()
        for number in 0..<100 { #expect(try await scene.stranger.logIn("user\(number)").status == 401) }
        let limited = try await scene.stranger.logIn("user101")
        #expect(limited.status == 429)
        #expect(limited.header("Retry-After") == "1")
        scene.clock.advance(by: .seconds(1))
        #expect(try await scene.stranger.logIn("user101").status == 401)
    }

    @Test func zeroIsNoLimit() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        for _ in 0..<30 { #expect(try await scene.stranger.logIn("nobody").status == 401) }
        for _ in 0..<100 { #expect(try await scene.stranger.refresh("tmr_x").status == 401) }
    }

    @Test func aRefreshIsLimitedByAddress() async throws {
        let scene = try await Scene(accounts: accounts { $0.refreshesPerAddress = 3 })
        for _ in 0..<3 { #expect(try await scene.stranger.refresh("tmr_x").status == 401) }
        let limited = try await scene.stranger.refresh("tmr_x")
        #expect(limited.status == 429)
        #expect(limited.header("Retry-After") == "20")
    }

    /// Otherwise anybody could send another address with each attempt, and never reach the limit.
    @Test func aForwardedAddressIsNotBelievedUnlessTheSettingSaysSo() async throws {
        let scene = try await Scene(accounts: accounts { $0.loginsPerAddress = 1 })
        #expect(try await scene.stranger.logIn("a", headers: ["X-Forwarded-For": "192.0.2.1"]).status == 401)
        #expect(try await scene.stranger.logIn("b", headers: ["X-Forwarded-For": "192.0.2.2"]).status == 429)
    }

    @Test func behindAProxyTheRightMostAddressCounts() async throws {
        let scene = try await Scene(
            accounts: accounts {
                $0.loginsPerAddress = 1
                $0.trustsForwardedFor = true
            })
        func status(_ forwarded: String) async throws -> Int {
            try await scene.stranger.logIn("x\(forwarded.hashValue)", headers: ["X-Forwarded-For": forwarded]).status
        }
        #expect(try await status("192.0.2.1") == 401)
        #expect(try await status("198.51.100.7, 192.0.2.1") == 429)
        #expect(try await status("192.0.2.1, 192.0.2.2") == 401)
        #expect(try await status("2001:db8:1:2::1") == 401)
        #expect(try await status("2001:db8:1:2:ffff::9") == 429)
        #expect(try await status("2001:db8:1:3::1") == 401)
        #expect(try await status("::ffff:192.0.2.1") == 429)
        #expect(try await status("garbage") == 401)
        #expect(try await status("other garbage") == 429)
        #expect(try await scene.stranger.logIn("no header").status == 401)
    }
}
