package import SyncProtocol
package import SyncStore
import Synchronization

/// Token buckets, one per key. A bucket holds a minute's worth of tokens and fills evenly: a burst after a pause is
/// served, a steady flood is not. Buckets are in memory, so a restart fills them all.
package final class RateLimiter: Sendable {
    /// A bucket, and the tokens it gets per minute; 0 means no limit.
    package struct Claim: Sendable {
        let key: String
        let perMinute: Int

        package init(_ key: String, perMinute: Int) {
            self.key = key
            self.perMinute = perMinute
        }
    }

    /// Counts in 1/60,000 of a token, because a minute has 60,000 milliseconds. So a millisecond adds `perMinute`
    /// parts, and all numbers are whole.
    private struct Bucket {
        static let token: Int64 = 60_000
        let perMinute: Int64
        var parts: Int64
        var filledAt: Instant

        var capacity: Int64 { perMinute * Bucket.token }

        /// A clock that was set back neither fills nor empties the bucket, which goes on filling from there.
        func filled(at now: Instant) -> Bucket {
            let passed = min(Bucket.token, max(0, now.milliseconds - filledAt.milliseconds))
            return Bucket(perMinute: perMinute, parts: min(capacity, parts + passed * perMinute), filledAt: now)
        }

        /// The bucket with another rate, which changes with the number of servers.
        func getting(_ perMinute: Int) -> Bucket {
            let rate = Int64(perMinute)
            return Bucket(perMinute: rate, parts: min(parts, rate * Bucket.token), filledAt: filledAt)
        }

        /// Milliseconds until the bucket has that many tokens.
        func wait(for tokens: Int64) -> Int64 {
            (max(0, tokens * Bucket.token - parts) + perMinute - 1) / perMinute
        }
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        var sweepSize = RateLimiter.smallestSweep
    }

    /// With more keys than this, full buckets are dropped: a missing bucket counts as full anyway.
    private static let smallestSweep = 10_000
    private let perMinute: Int
    private let clock: WallClock
    private let state = Mutex(State())

    /// `perMinute` is for `take` with only a key; 0 means no limit.
    package init(perMinute: Int = 0, clock: WallClock) {
        self.perMinute = perMinute
        self.clock = clock
    }

    /// Takes a token from the key's bucket. If it is empty, throws `rate_limited` with the seconds until it has one.
    package func take(_ key: String) throws { try take([Claim(key, perMinute: perMinute)]) }

    /// Takes so many tokens from each bucket, at most all that a full one holds. If one of them has too few, takes none
    /// and throws `rate_limited` with the seconds until all have enough.
    package func take(_ claims: [Claim], tokens: Int = 1) throws {
        let wait = wait(claims, tokens: tokens, at: clock.now())
        if wait > 0 { throw Problem.rateLimited(milliseconds: wait) }
    }

    /// Takes the tokens, or returns the milliseconds until all buckets have enough.
    private func wait(_ claims: [Claim], tokens: Int, at now: Instant) -> Int64 {
        let claims = claims.filter { $0.perMinute > 0 }
        return state.withLock { state in
            RateLimiter.sweep(&state, now)
            var wait: Int64 = 0
            for claim in claims {
                let full = Bucket(
                    perMinute: Int64(claim.perMinute), parts: Int64(claim.perMinute) * Bucket.token, filledAt: now)
                let bucket = (state.buckets[claim.key] ?? full).filled(at: now).getting(claim.perMinute)
                state.buckets[claim.key] = bucket
                wait = max(wait, bucket.wait(for: Int64(min(tokens, claim.perMinute))))
            }
            guard wait == 0 else { return wait }
            for claim in claims {
                state.buckets[claim.key]?.parts -= Int64(min(tokens, claim.perMinute)) * Bucket.token
            }
            return wait
        }
    }

    /// The number of remembered keys.
    var size: Int { state.withLock { $0.buckets.count } }

    /// Drops full buckets once in a while. The next sweep comes when there are twice as many buckets as this one left.
    private static func sweep(_ state: inout State, _ now: Instant) {
        guard state.buckets.count > state.sweepSize else { return }
        state.buckets = state.buckets.filter { $0.value.filled(at: now).parts < $0.value.capacity }
        state.sweepSize = max(smallestSweep, 2 * state.buckets.count)
    }
}

/// For a server that shares its database with no other.
extension RateLimiter: Throttle {
    package func take(_ key: String, perMinute: Int, at now: Instant) -> Int64 {
        wait([Claim(key, perMinute: perMinute)], tokens: 1, at: now)
    }

    package func giveBack(_ key: String, perMinute: Int) {
        state.withLock { state in
            guard let bucket = state.buckets[key] else { return }
            state.buckets[key]?.parts = min(bucket.capacity, bucket.parts + Bucket.token)
        }
    }
}

extension Problem {
    /// The member `retry_after` becomes the header `Retry-After`.
    static func rateLimited(milliseconds: Int64) -> Problem {
        let seconds = max(1, (milliseconds + 999) / 1000)
        return Problem(
            .rateLimited, "Too many requests. Nothing was applied; try again in \(seconds) s.",
            members: ["retry_after": .int(seconds)])
    }
}
