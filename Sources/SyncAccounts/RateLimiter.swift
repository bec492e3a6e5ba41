import Crypto
package import SyncProtocol
import SyncSchema
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
        self.settings = settings
        self.clock = clock
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
