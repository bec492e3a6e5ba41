import SyncAccounts
import SyncProtocol
package import SyncStore
import Synchronization

/// How many uploads a user may send: to one project, and in total.
package struct UploadLimits: Sendable {
    private let perProject: Int
    private let perUser: Int
    private let limiter: RateLimiter

    /// Limits in uploads per minute; 0 means no limit.
    package init(perProject: Int, perUser: Int, clock: WallClock) {
        self.perProject = perProject
        self.perUser = perUser
        limiter = RateLimiter(clock: clock)
    }

    /// No limits, for commands and tests that upload without HTTP.
    package static let none = UploadLimits(perProject: 0, perUser: 0, clock: .system)

    /// What one upload counts against. To be taken once.
    func claim(project: String, user: Int64) -> Claim {
        // A project's id has no slash, so the two keys differ.
        let buckets = [
            RateLimiter.Claim("\(user)/\(project)", perMinute: perProject),
            RateLimiter.Claim("\(user)", perMinute: perUser),
        ]
        return Claim(buckets, limiter)
    }
}

extension UploadLimits {
    /// One upload. It counts once, even if the body of its write runs twice.
    final class Claim: Sendable {
        private let buckets: [RateLimiter.Claim]
        private let limiter: RateLimiter
        private let isTaken = Mutex(false)

        fileprivate init(_ buckets: [RateLimiter.Claim], _ limiter: RateLimiter) {
            self.buckets = buckets
            self.limiter = limiter
        }

        /// Counts the upload unless it is counted already. Throws `rate_limited`,
        /// and counts nothing, if either limit is reached.
        func take() throws {
            try isTaken.withLock { isTaken in
                guard !isTaken else { return }
                try limiter.take(buckets)
                isTaken = true
            }
        }
    }
}
