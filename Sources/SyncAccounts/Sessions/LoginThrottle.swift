import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

/// How often somebody may try to log in. What counts is tries with a wrong password or name.
///
/// Whoever guesses at one account from one address has few tries, so a stranger elsewhere keeps nobody out. Attackers
/// also guess from many addresses, and at many accounts: there are wider buckets for an account from wherever, and for
/// an address, which may be a whole office. A name without an account has the same buckets, so the limits tell nothing
/// about which accounts exist. Servers on one database share the buckets.
///
/// A login that succeeds counts only for its account from wherever, since each is a write and some work.
struct LoginThrottle: Sendable {
    /// An account can be tried from all addresses so many times as often as from one.
    static let addressesPerAccount = 10

    private let settings: AccountSettings
    private let clock: WallClock
    private let buckets: any Throttle

    /// `shared` are the buckets of the servers on one database; nil if there is one server.
    init(_ settings: AccountSettings, shared: (any Throttle)?, clock: WallClock) {
        (self.settings, self.clock) = (settings, clock)
        buckets = shared ?? RateLimiter(clock: clock)
    }

    /// Runs `attempt`, which counts if it throws `invalid_credentials`. While it runs it counts too, so tries at the
    /// same moment are no more than tries one after the other. Throws `rate_limited`, and does not run it then.
    func attempt<Value>(
        as username: String, from address: String, _ attempt: () async throws -> Value
    ) async throws -> Value {
        let (pair, account, place) = claims(username, address)
        // The narrowest first.
        let claims = [pair, account, place]
        try await take(claims)
        do {
            let value = try await attempt()
            await giveBack([pair, place])
            return value
        } catch let problem as Problem where problem.code == .invalidCredentials {
            throw problem
        } catch {
            await giveBack(claims)
            throw error
        }
    }

    /// Throws `rate_limited`.
    func refresh(from address: String) async throws {
        try await take([RateLimiter.Claim("refresh from \(address)", perMinute: settings.refreshesPerAddress)])
    }

    /// Names are hashed, so a long name takes no more room.
    private func claims(
        _ username: String, _ address: String
    ) -> (pair: RateLimiter.Claim, account: RateLimiter.Claim, place: RateLimiter.Claim) {
        let name = SHA256.hex(of: Username.folded(username).rawValue)
        let perAccount = settings.loginsPerAccount
        return (
            pair: RateLimiter.Claim("login from \(address) as \(name)", perMinute: perAccount),
            account: RateLimiter.Claim("login as \(name)", perMinute: perAccount * Self.addressesPerAccount),
            place: RateLimiter.Claim("login from \(address)", perMinute: settings.loginsPerAddress)
        )
    }

    /// Takes a token from each bucket, or none.
    private func take(_ claims: [RateLimiter.Claim]) async throws {
        var taken: [RateLimiter.Claim] = []
        for claim in claims where claim.perMinute > 0 {
            let wait = try await buckets.take(claim.key, perMinute: claim.perMinute, at: clock.now())
            guard wait > 0 else {
                taken.append(claim)
                continue
            }
            await giveBack(taken)
            throw Problem.rateLimited(milliseconds: wait)
        }
    }

    /// If the database can't take them back now, time fills the buckets.
    private func giveBack(_ claims: [RateLimiter.Claim]) async {
        for claim in claims where claim.perMinute > 0 {
            try? await buckets.giveBack(claim.key, perMinute: claim.perMinute)
        }
    }
}
