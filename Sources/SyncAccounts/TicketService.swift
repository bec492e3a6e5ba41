import SyncProtocol
package import SyncStore

/// Tickets: what a browser's `EventSource`, which can't send headers, shows instead of a token. A ticket stands for the
/// token that asked for it, works once, and only for half a minute, because addresses end up in logs.
package struct TicketService<Store: SyncStore>: Sendable {
    package static var lifetime: Duration { .seconds(30) }
    /// Each ticket is a write.
    private static var perMinute: Int { 60 }

    private let store: Store
    private let clock: WallClock
    private let limiter: RateLimiter

    package init(store: Store, clock: WallClock) {
        self.store = store
        self.clock = clock
        limiter = RateLimiter(perMinute: Self.perMinute, clock: clock)
    }

    /// A new ticket for the token. Throws `rate_limited` after 60 in a minute for a user.
    package func issue(for grant: Grant) async throws -> String {
        let caller = grant.caller
        let ticket = OpaqueToken.random(.ticket)
        try limiter.take(String(caller.userID))
        try await store.write(.accounts) { transaction in
            let now = try transaction.now(by: clock)
            try transaction.forgetTickets(before: now)
            try transaction.createTicket(
                StoredTicket(
                    userID: caller.userID, credential: caller.credential, isReadOnly: caller.isReadOnly,
                    tokenExpiresAt: grant.expiresAt, expiresAt: now.advanced(by: Self.lifetime)),
                hash: ticket.hash)
        }
        return ticket.text
    }

    /// Uses up the ticket, and returns what its token allows now. Nil for a ticket that is unknown, used or expired,
    /// and if the token is no longer valid. Made-up tickets don't take the writer's time.
    package func redeem(_ text: String) async throws -> Grant? {
        guard let shown = OpaqueToken(text, .ticket),
            try await store.read(.accounts, { try $0.ticket(hash: shown.hash) }) != nil
        else { return nil }
        return try await store.write(.accounts) { transaction in
            let now = try transaction.now(by: clock)
            guard let ticket = try transaction.ticket(hash: shown.hash) else { return nil }
            try transaction.deleteTicket(hash: shown.hash)
            guard now < ticket.expiresAt else { return nil }
            return try transaction.grant(of: ticket)?.valid(at: now)
        }
    }
}

extension ReadTransaction {
    fileprivate func grant(of ticket: StoredTicket) throws -> Grant? {
        let caller = Caller(
            try user(id: ticket.userID), isReadOnly: ticket.isReadOnly, credential: ticket.credential,
            expiresAt: ticket.tokenExpiresAt)
        guard let caller, try knows(caller) else { return nil }
        return Grant(caller: caller, expiresAt: ticket.tokenExpiresAt)
    }
}
