import SyncProtocol

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

    /// Counts an upload. Throws `rate_limited`, and counts nothing, where either limit is reached.
    func take(project: String, user: Int64) throws {
        // A project's id has no slash.
        try limiter.take([
            RateLimiter.Claim("\(user)/\(project)", perMinute: perProject),
            RateLimiter.Claim("\(user)", perMinute: perUser),
        ])
    }
}
