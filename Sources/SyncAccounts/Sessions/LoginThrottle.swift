import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

/// How often somebody may try to log in.
///
/// Attackers guess passwords from many addresses against one account, and from one address against many accounts, so
/// there is a bucket for each address and each account. A name without an account has a bucket too, so the limit tells
/// nothing about which accounts exist.
final class LoginThrottle: Sendable {
    private let logins: RateLimiter
    private let accounts: RateLimiter
    private let refreshes: RateLimiter

    init(_ settings: AccountSettings, clock: WallClock) {
        logins = RateLimiter(perMinute: settings.loginsPerAddress, clock: clock)
        accounts = RateLimiter(perMinute: settings.loginsPerAccount, clock: clock)
        refreshes = RateLimiter(perMinute: settings.refreshesPerAddress, clock: clock)
    }

    /// Throws `rate_limited`. Names are hashed, so a long name takes no more memory.
    func login(_ username: String, from address: String) throws {
        try logins.take(address)
        try accounts.take(SHA256.hex(of: Username.folded(username).rawValue))
    }

    /// Throws `rate_limited`.
    func refresh(from address: String) throws { try refreshes.take(address) }
}
