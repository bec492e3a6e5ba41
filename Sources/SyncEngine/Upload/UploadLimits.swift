import SyncAccounts
import SyncProtocol
package import SyncStore
import Synchronization

/// How many uploads a user may send: to one project, and in total; and how many rows they may have delivered again to
/// everybody although nothing in them changes.
package struct UploadLimits: Sendable {
    /// Rows per user and minute that are delivered again unchanged. Every member receives such a row, so somebody who
    /// may write nothing could keep all devices busy.
    private static let redeliveries = 1000

    private let perProject: Int
    private let perUser: Int
    private let limiter: RateLimiter

    /// Limits in uploads per minute; 0 means no limit. Without a limit per user, redeliveries have none either.
    package init(perProject: Int, perUser: Int, clock: WallClock) {
        self.perProject = perProject
        self.perUser = perUser
        limiter = RateLimiter(clock: clock)
    }

    /// No limits, for commands and tests that upload without HTTP.
    package static let none = UploadLimits(perProject: 0, perUser: 0, clock: .system)

    /// What one upload counts against. To be taken once.
    func claim(project: String, user: Int64) -> Claim {
        // A project's id has no slash, so the keys differ.
        let buckets = [
            RateLimiter.Claim("\(user)/\(project)", perMinute: perProject),
            RateLimiter.Claim("\(user)", perMinute: perUser),
        ]
        let redeliveries = RateLimiter.Claim(
            "\(user)//again", perMinute: perUser == 0 ? 0 : UploadLimits.redeliveries)
        return Claim(buckets, redeliveries: redeliveries, limiter)
    }
}

extension UploadLimits {
    /// One upload. It counts once, even if the body of its write runs twice.
    final class Claim: Sendable {
        private struct Taken {
            var isCounted = false
            var redeliveries = 0
        }

        private let buckets: [RateLimiter.Claim]
        private let limiter: RateLimiter
        private let redeliveries: RateLimiter.Claim
        private let taken = Mutex(Taken())

        fileprivate init(
            _ buckets: [RateLimiter.Claim], redeliveries: RateLimiter.Claim, _ limiter: RateLimiter
        ) {
            self.buckets = buckets
            self.limiter = limiter
            self.redeliveries = redeliveries
        }

        /// Counts the upload unless it is counted already. Throws `rate_limited`,
        /// and counts nothing, if either limit is reached.
        func take() throws {
            try taken.withLock { taken in
                guard !taken.isCounted else { return }
                try limiter.take(buckets)
                taken.isCounted = true
            }
        }

        /// Counts rows that the upload delivers again unchanged, as far as they are not counted already. Throws
        /// `rate_limited`, and counts none of them, if the limit is reached.
        func takeRedeliveries(_ count: Int) throws {
            try taken.withLock { taken in
                guard count > taken.redeliveries else { return }
                try limiter.take([redeliveries], tokens: count - taken.redeliveries)
                taken.redeliveries = count
            }
        }
    }
}
