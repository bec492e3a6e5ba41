import HTTPTypes
package import Hummingbird
package import SyncAccounts
package import SyncStore

/// Identifies the caller by `Authorization: Bearer …` (RFC 6750).
/// A request without a valid token goes on without a caller. A request for events may show a ticket instead.
package struct BearerAuthentication<Store: SyncStore>: RouterMiddleware {
    private let authenticator: Authenticator<Store>
    private let tickets: TicketService<Store>
    /// The routes that take a ticket. A collection of an older database may also be called `events`.
    private let ticketRoutes: Set<String>

    package init(authenticator: Authenticator<Store>, tickets: TicketService<Store>) {
        (self.authenticator, self.tickets) = (authenticator, tickets)
        let paths = [Endpoint.events.path] + Endpoint.events.otherPaths
        ticketRoutes = Set(
            SyncServer<Store>.prefixes.flatMap { prefix in paths.map { RouterPath(prefix + $0).description } })
    }

    package func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let token = request.bearerToken {
            context.grant = try await authenticator.grant(bearing: token)
        } else if takesTicket(request, context), let ticket = try Query(request).text("ticket") {
            context.grant = try await tickets.redeem(ticket)
        }
        return try await next(request, context)
    }

    private func takesTicket(_ request: Request, _ context: ServerContext) -> Bool {
        request.method == .get && context.endpointPath.map(ticketRoutes.contains) ?? false
    }
}

extension Request {
    /// The token in `Authorization: Bearer …`; nil if there is none.
    /// The scheme's name may be in any case (RFC 9110 section 11.1).
    var bearerToken: String? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.utf8.split(separator: UInt8(ascii: " "))
        guard parts.count == 2, Substring(parts[0]).lowercased() == "bearer" else { return nil }
        return String(Substring(parts[1]))
    }
}
