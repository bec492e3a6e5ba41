import HTTPTypes
package import Hummingbird
import NIOCore
package import SyncAccounts
import SyncProtocol
package import SyncStore

/// Identifies the caller by `Authorization: Bearer …` (RFC 6750).
/// A request without a valid token goes on without a caller. A request for events may show a ticket instead.
package struct BearerAuthentication<Store: SyncStore>: RouterMiddleware {
    private let authenticator: Authenticator<Store>
    private let tickets: TicketService<Store>
    /// The routes that take a ticket. A collection of an older database may also be called `events`.
    private let ticketRoutes: Set<String>

    package init(authenticator: Authenticator<Store>, tickets: TicketService<Store>) {
        self.authenticator = authenticator
        self.tickets = tickets
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

/// The context of routes that need a caller. It can't be made
/// without one, so no route can lack authentication by accident.
package struct CallerContext: ChildRequestContext {
    package var coreContext: CoreRequestContextStorage
    let grant: Grant
    package var caller: Caller { address.map { grant.caller.from($0) } ?? grant.caller }
    /// The client's address; nil for requests that only read.
    var address: String?
    /// The connection.
    let channel: any Channel
    /// What the body of an upload tells of its device; nil for other requests.
    var uploading: UploadingDevice?
    /// What the answer to a pull tells of its device; nil for other requests, and if no device is named.
    var draining: DrainingDevice?

    /// Throws `unauthorized` if the request has no caller.
    package init(context: ServerContext) throws {
        guard let grant = context.grant else { throw Problem.unauthorized }
        coreContext = context.coreContext
        self.grant = grant
        channel = context.channel
    }
}

/// The context of every request, before authentication.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel
    /// The address of the connection's other end.
    let peer: SocketAddress?
    /// What the token allows, set by `BearerAuthentication`; nil without a valid token.
    var grant: Grant?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress
    }
}
