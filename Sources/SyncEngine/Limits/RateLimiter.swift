import SyncProtocol
import Synchronization

/// Token buckets, one a key: each holds a minute's worth and fills evenly, so that a burst after a pause is served and a
/// steady flood is not. Kept in memory: a restart fills them all.
package final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var filledAt: Timestamp
    }

    /// Above this many keys, full buckets are dropped: they say nothing that a missing one doesn't.
    private static let sweepSize = 10_000
    private let perMinute: Double
    private let clock: WallClock
    private let buckets = Mutex<[String: Bucket]>([:])

    /// `perMinute` 0 stands for no limit.
    package init(perMinute: Int, clock: WallClock) {
        self.perMinute = Double(perMinute)
        self.clock = clock
    }

    /// Takes a token from the key's bucket. Throws `rate_limited`, with the seconds until there is one, and takes none.
    package func take(_ key: String) throws {
        guard perMinute > 0 else { return }
        let now = clock.now()
        let wait = buckets.withLock { buckets -> Double? in
            if buckets.count > RateLimiter.sweepSize { buckets = buckets.filter { filled($0.value, now) < perMinute } }
            let tokens = buckets[key].map { filled($0, now) } ?? perMinute
            guard tokens >= 1 else { return (1 - tokens) * 60 / perMinute }
            buckets[key] = Bucket(tokens: tokens - 1, filledAt: now)
            return nil
        }
        if let wait { throw Problem.rateLimited(seconds: Int64(wait.rounded(.up))) }
    }

    /// A clock that was set back fills nothing and empties nothing.
    private func filled(_ bucket: Bucket, _ now: Timestamp) -> Double {
        let passed = Double(max(0, now.milliseconds - bucket.filledAt.milliseconds))
        return min(perMinute, bucket.tokens + passed * perMinute / 60_000)
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
