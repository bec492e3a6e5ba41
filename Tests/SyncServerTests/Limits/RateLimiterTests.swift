@testable import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncTestKit
import Testing

/// Token buckets, on a clock that the test moves.
@Suite struct RateLimiterTests {
    private let clock = ManualClock(Workbench<ModelStore>.noon)

    /// The wait in seconds that a refusal asks for; nil if the attempt was granted.
    private func wait(_ take: () throws -> Void) -> Int64? {
        do {
            try take()
            return nil
        } catch let problem as Problem {
            #expect(problem.code == .rateLimited)
            return problem.members["retry_after"]?.int
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    /// Takes until it is refused, and returns how often it was granted.
    private func drain(_ limiter: RateLimiter, _ claims: [RateLimiter.Claim]) -> Int {
        var granted = 0
        while wait({ try limiter.take(claims) }) == nil { granted += 1 }
        return granted
    }

    @Test(arguments: [1, 2, 7, 59, 60, 61, 90, 1000]) func aFullBucketHoldsAMinute(perMinute: Int) {
        let limiter = RateLimiter(perMinute: perMinute, clock: clock.wallClock)
        let claim = [RateLimiter.Claim("a", perMinute: perMinute)]
        #expect(drain(limiter, claim) == perMinute)
        clock.advance(by: .seconds(3600))
        #expect(drain(limiter, claim) == perMinute)
    }

    @Test(arguments: [1, 2, 7, 59, 60, 61, 90, 1000]) func afterTheSecondsToldOneIsGranted(perMinute: Int) throws {
        let limiter = RateLimiter(perMinute: perMinute, clock: clock.wallClock)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            clock.advance(by: .milliseconds(random.below(3000)))
            while wait({ try limiter.take("a") }) == nil {}
            let seconds = try #require(wait { try limiter.take("a") })
            #expect(seconds >= 1)
            clock.advance(by: .milliseconds(seconds * 1000 - 1000))
            if seconds > 1 { #expect(wait { try limiter.take("a") } != nil) }
            clock.advance(by: .milliseconds(1000))
            #expect(wait { try limiter.take("a") } == nil)
        }
    }

    @Test func keysHaveBucketsOfTheirOwn() {
        let limiter = RateLimiter(perMinute: 1, clock: clock.wallClock)
        #expect(wait { try limiter.take("a") } == nil)
        #expect(wait { try limiter.take("b") } == nil)
        #expect(wait { try limiter.take("a") } == 60)
    }

    @Test func zeroIsNoLimit() {
        let limiter = RateLimiter(perMinute: 0, clock: clock.wallClock)
        for _ in 0..<1000 { #expect(wait { try limiter.take("a") } == nil) }
    }

    @Test func aTakeThatOneBucketRefusesChargesNone() {
        let limiter = RateLimiter(clock: clock.wallClock)
        let (narrow, wide) = (RateLimiter.Claim("n", perMinute: 2), RateLimiter.Claim("w", perMinute: 5))
        #expect(drain(limiter, [narrow, wide]) == 2)
        for _ in 0..<50 { #expect(wait { try limiter.take([narrow, wide]) } == 30) }
        #expect(drain(limiter, [wide]) == 3)
        #expect(wait { try limiter.take([wide, narrow]) } == 30, "the longer wait counts")
    }

    @Test func aClockThatIsSetBackNeitherFillsNorLocksOut() {
        let limiter = RateLimiter(perMinute: 60, clock: clock.wallClock)
        #expect(drain(limiter, [.init("a", perMinute: 60)]) == 60)
        clock.advance(by: .seconds(-3600))
        #expect(wait { try limiter.take("a") } == 1)
        clock.advance(by: .seconds(1))
        #expect(wait { try limiter.take("a") } == nil)
        #expect(wait { try limiter.take("a") } == 1)
    }

    @Test func fullBucketsAreForgottenAndOthersAreNot() {
        let limiter = RateLimiter(perMinute: 2, clock: clock.wallClock)
        for number in 0..<10_000 { #expect(wait { try limiter.take("old \(number)") } == nil) }
        clock.advance(by: .seconds(29))
        #expect(wait { try limiter.take("young") } == nil)
        #expect(limiter.size == 10_001)
        clock.advance(by: .seconds(1))
        #expect(wait { try limiter.take("another") } == nil)
        #expect(limiter.size == 2)
        #expect(drain(limiter, [.init("young", perMinute: 2)]) == 1)
    }
}
