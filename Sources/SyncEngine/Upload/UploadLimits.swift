import SyncAccounts
import SyncProtocol
package import SyncStore
import Synchronization

/// How many uploads a user may send: to one project, and altogether.
package struct UploadLimits: Sendable {
    private let perProject: Int
    private let perUser: Int
    private let limiter: RateLimiter

    /// Uploads a minute; 0 stands for no limit.
    package init(perProject: Int, perUser: Int, clock: WallClock) {
        self.perProject = perProject
        self.perUser = perUser
        limiter = RateLimiter(clock: clock)
    }

    /// No limits, for commands and tests that upload without HTTP.
    package static let none = UploadLimits(perProject: 0, perUser: 0, clock: .system)

    /// What an upload is to take, once.
    func claim(project: String, user: Int64) -> Claim {
        // A project's id has no slash.
        let buckets = [
            RateLimiter.Claim("\(user)/\(project)", perMinute: perProject),
            RateLimiter.Claim("\(user)", perMinute: perUser),
        ]
        return Claim(buckets, limiter)
    }
}

extension UploadLimits {
    /// One upload, which counts once though the body of its write may run twice.
    final class Claim: Sendable {
        private let buckets: [RateLimiter.Claim]
        private let limiter: RateLimiter
        private let isTaken = Mutex(false)

        fileprivate init(_ buckets: [RateLimiter.Claim], _ limiter: RateLimiter) {
            self.buckets = buckets
            self.limiter = limiter
        }

        /// Counts the upload where it is not counted yet. Throws `rate_limited`, and counts nothing, where either limit
        /// is reached.
        func take() throws {
            try isTaken.withLock { isTaken in
                guard !isTaken else { return }
                try limiter.take(buckets)
                isTaken = true
            }
        }
    }
}
