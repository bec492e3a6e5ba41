import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

/// How often somebody may try to log in.
///
/// Attackers guess passwords from many addresses against one account, and from one address against many accounts, so
/// there is a bucket for each address and each account. A name without an account has a bucket too, so the limit tells
/// nothing about which accounts exist. Servers on one database share the buckets.
struct LoginThrottle: Sendable {
    private let settings: AccountSettings
    private let clock: WallClock
    private let buckets: any Throttle

    /// `shared` are the buckets of the servers on one database; nil if there is one server.
    init(_ settings: AccountSettings, shared: (any Throttle)?, clock: WallClock) {
        (self.settings, self.clock) = (settings, clock)
        buckets = shared ?? RateLimiter(clock: clock)
    }

    /// Throws `rate_limited`. Names are hashed, so a long name takes no more room.
    func login(_ username: String, from address: String) async throws {
        try await take("login from \(address)", settings.loginsPerAddress)
        try await take("login as \(SHA256.hex(of: Username.folded(username).rawValue))", settings.loginsPerAccount)
    }

    /// Throws `rate_limited`.
    func refresh(from address: String) async throws {
        try await take("refresh from \(address)", settings.refreshesPerAddress)
    }

    private func take(_ key: String, _ perMinute: Int) async throws {
        guard perMinute > 0 else { return }
        let wait = try await buckets.take(key, perMinute: perMinute, at: clock.now())
        if wait > 0 { throw Problem.rateLimited(milliseconds: wait) }
    }
}
