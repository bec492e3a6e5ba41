import SyncProtocol
package import SyncStore
import Synchronization

/// Token buckets, one a key: each holds a minute's worth and fills evenly, so that a burst after a pause is served and a
/// steady flood is not. Kept in memory: a restart fills them all.
package final class RateLimiter: Sendable {
    /// A bucket, and how many tokens it gets a minute; 0 stands for no limit.
    package struct Claim: Sendable {
        let key: String
        let perMinute: Int

        package init(_ key: String, perMinute: Int) {
            self.key = key
            self.perMinute = perMinute
        }
    }

    /// Counts in parts of a token, a minute's milliseconds to one, so that a millisecond adds `perMinute` parts and all
    /// numbers are whole.
    private struct Bucket {
        static let token: Int64 = 60_000
        let perMinute: Int64
        var parts: Int64
        var filledAt: Instant

        var capacity: Int64 { perMinute * Bucket.token }

        /// A clock that was set back fills nothing and empties nothing, and the bucket fills on from there.
        func filled(at now: Instant) -> Bucket {
            let passed = min(Bucket.token, max(0, now.milliseconds - filledAt.milliseconds))
            return Bucket(perMinute: perMinute, parts: min(capacity, parts + passed * perMinute), filledAt: now)
        }

        /// Milliseconds until there is a token.
        var wait: Int64 { (max(0, Bucket.token - parts) + perMinute - 1) / perMinute }
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        var sweepSize = RateLimiter.smallestSweep
    }

    /// Above this many keys, full buckets are dropped: they say nothing that a missing one doesn't.
    private static let smallestSweep = 10_000
    private let perMinute: Int
    private let clock: WallClock
    private let state = Mutex(State())

    /// `perMinute` is for claims by key alone; 0 stands for no limit.
    package init(perMinute: Int = 0, clock: WallClock) {
        self.perMinute = perMinute
        self.clock = clock
    }

    /// Takes a token from the key's bucket. Throws `rate_limited`, with the seconds until there is one, and takes none.
    package func take(_ key: String) throws { try take([Claim(key, perMinute: perMinute)]) }

    /// Takes a token from each bucket, or, where one of them is empty, from none: throws `rate_limited` with the seconds
    /// until all have one.
    package func take(_ claims: [Claim]) throws {
        let now = clock.now()
        let claims = claims.filter { $0.perMinute > 0 }
        let wait = state.withLock { state in
            RateLimiter.sweep(&state, now)
            var wait: Int64 = 0
            for claim in claims {
                let full = Bucket(
                    perMinute: Int64(claim.perMinute), parts: Int64(claim.perMinute) * Bucket.token, filledAt: now)
                let bucket = (state.buckets[claim.key] ?? full).filled(at: now)
                state.buckets[claim.key] = bucket
                wait = max(wait, bucket.wait)
            }
            if wait == 0 { for claim in claims { state.buckets[claim.key]?.parts -= Bucket.token } }
            return wait
        }
        if wait > 0 { throw Problem.rateLimited(seconds: (wait + 999) / 1000) }
    }

    /// The number of keys that are remembered.
    var size: Int { state.withLock { $0.buckets.count } }

    /// Drops full buckets once in a while: as many takes lie between two sweeps as the first one left buckets.
    private static func sweep(_ state: inout State, _ now: Instant) {
        guard state.buckets.count > state.sweepSize else { return }
        state.buckets = state.buckets.filter { $0.value.filled(at: now).parts < $0.value.capacity }
        state.sweepSize = max(smallestSweep, 2 * state.buckets.count)
    }
}

extension Problem {
    /// `retry_after` becomes the header `Retry-After`.
    static func rateLimited(seconds: Int64) -> Problem {
        Problem(
            .rateLimited, "Too many requests. Nothing was applied; try again in \(max(1, seconds)) s.",
            members: ["retry_after": .int(max(1, seconds))])
    }
}
