import SyncAccounts
import SyncProtocol
package import SyncStore
import Synchronization

/// How many uploads a user may send: to one project, and in total; and how many rows they may have delivered again to
/// everybody although nothing in them changes. Writes over REST have limits of the same kind, and count by themselves.
///
/// Each server counts for itself, and allows its share of the limits.
package struct UploadLimits: Sendable {
    /// Rows per user and minute that are delivered again unchanged. Every member receives such a row, so somebody who
    /// may write nothing could keep all devices busy.
    private static let redeliveries = 1000

    private let perProject: Int
    private let perUser: Int
    private let limiter: RateLimiter
    private let servers: @Sendable () -> Int

    /// Limits in uploads per minute; 0 means no limit. Without a limit per user, redeliveries have none either.
    /// `servers` returns how many servers share the limits.
    package init(
        perProject: Int, perUser: Int, clock: WallClock, servers: @escaping @Sendable () -> Int = { 1 }
    ) {
        self.perProject = perProject
        self.perUser = perUser
        self.servers = servers
        limiter = RateLimiter(clock: clock)
    }

    /// No limits, for commands and tests that upload without HTTP.
    package static let none = UploadLimits(perProject: 0, perUser: 0, clock: .system)

    /// What one upload counts against. To be taken once.
    func claim(user: Int64) -> Claim {
        let redeliveries = RateLimiter.Claim(
            "\(user)//again", perMinute: perUser == 0 ? 0 : share(of: UploadLimits.redeliveries))
        return Claim(self, user: user, redeliveries: redeliveries)
    }

    /// This server's share, rounded up.
    private func share(of limit: Int) -> Int {
        let servers = max(1, servers())
        return (limit + servers - 1) / servers
    }

    /// A project's id has no slash, so the keys differ.
    private func buckets(of user: Int64, _ projects: [String]) -> [RateLimiter.Claim] {
        projects.map { RateLimiter.Claim("\(user)/\($0)", perMinute: share(of: perProject)) }
            + [RateLimiter.Claim("\(user)", perMinute: share(of: perUser))]
    }
}

extension UploadLimits {
    /// One upload. It counts once, even if the body of its write runs twice.
    final class Claim: Sendable {
        private struct Taken {
            var isCounted = false
            var redeliveries = 0
        }

        private let limits: UploadLimits
        private let user: Int64
        private let redeliveries: RateLimiter.Claim
        private let taken = Mutex(Taken())

        fileprivate init(_ limits: UploadLimits, user: Int64, redeliveries: RateLimiter.Claim) {
            self.limits = limits
            self.user = user
            self.redeliveries = redeliveries
        }

        /// Counts the upload, once for the user and once for each project, unless it is counted already. Throws
        /// `rate_limited`, and counts nothing, if a limit is reached.
        func take(_ projects: [String]) throws {
            try taken.withLock { taken in
                guard !taken.isCounted else { return }
                try limits.limiter.take(limits.buckets(of: user, projects))
                taken.isCounted = true
            }
        }

        /// Counts rows that the upload delivers again unchanged, as far as they are not counted already. Throws
        /// `rate_limited`, and counts none of them, if the limit is reached.
        func takeRedeliveries(_ count: Int) throws {
            try taken.withLock { taken in
                guard count > taken.redeliveries else { return }
                try limits.limiter.take([redeliveries], tokens: count - taken.redeliveries)
                taken.redeliveries = count
            }
        }
    }
}
