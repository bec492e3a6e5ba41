import PostgreSQLTestKit
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// Buckets that several servers share.
@Suite(.timeLimit(.minutes(30))) struct SharedThrottleTests {
    private static let noon = Workbench<ModelStore>.noon

    @Test func twoServersAllowAsMuchAsOne() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        var taken = 0
        for turn in 0..<20 {
            let throttle = try #require(two.stores[turn % 2].throttle)
            if try await throttle.take("k", perMinute: 5, at: Self.noon) == 0 { taken += 1 }
        }
        #expect(taken == 5)
    }

    @Test func triesAtTheSameMomentAreCounted() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for turn in 0..<60 {
                let throttle = try #require(two.stores[turn % 2].throttle)
                group.addTask { try await throttle.take("k", perMinute: 7, at: Self.noon) == 0 }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 7)
    }

    /// The same tries give the same answers as the buckets in the memory of one server.
    @Test(arguments: [UInt64(1), 2, 3]) func itCountsAsMemoryDoes(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let two = try await TwoServers()
        defer { two.close() }
        let shared = try #require(two.stores[0].throttle)
        let memory = RateLimiter(clock: WallClock { Self.noon })
        var now = Self.noon
        for turn in 0..<300 {
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...4000, using: &random)))
            let key = ["a", "b"].randomElement(using: &random)!
            if Int.random(in: 0..<4, using: &random) == 0 {
                memory.giveBack(key, perMinute: 11)
                try await shared.giveBack(key, perMinute: 11)
            }
            let expected = memory.take(key, perMinute: 11, at: now)
            #expect(try await shared.take(key, perMinute: 11, at: now) == expected, "seed \(seed), turn \(turn)")
        }
    }

    /// Two clocks that differ must not fill a bucket again and again.
    @Test func clocksThatDifferFillNothing() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        var taken = 0
        for turn in 0..<40 {
            let throttle = try #require(two.stores[turn % 2].throttle)
            let now = Self.noon.advanced(by: .seconds(turn % 2 == 0 ? 0 : 30))
            if try await throttle.take("k", perMinute: 4, at: now) == 0 { taken += 1 }
        }
        #expect(taken <= 4 + 2, "a full bucket, and what 30 seconds fill once")
    }

    /// A clock that was set back by an hour locks nobody out for an hour.
    @Test func aClockThatWasSetBackGoesOnFilling() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let throttle = try #require(two.stores[0].throttle)
        #expect(try await throttle.take("k", perMinute: 1, at: Self.noon) == 0)
        let earlier = Self.noon.advanced(by: .seconds(-3600))
        #expect(try await throttle.take("k", perMinute: 1, at: earlier) > 0)
        #expect(try await throttle.take("k", perMinute: 1, at: earlier.advanced(by: .seconds(60))) == 0)
    }
}
