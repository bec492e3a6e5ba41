package import Hummingbird
import NIOCore
package import SyncAccounts
import SyncProtocol

/// The context of every request: nobody is known yet.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel
    /// The other end of the connection.
    let peer: SocketAddress?
    /// Set by `BearerAuthentication`.
    var caller: Caller?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress
    }
}

/// The context of routes to data: it can't be made without a caller, so that such a route can't be written by accident
/// without authentication in front.
package struct CallerContext: ChildRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let caller: Caller
    /// The connection.
    let channel: any Channel

    package init(context: ServerContext) throws {
        guard let caller = context.caller else { throw Problem.unauthorized }
        coreContext = context.coreContext
        self.caller = caller
        channel = context.channel
    }
}

extension Problem {
    static let unauthorized = Problem(
        .unauthorized,
        "Send a valid token: Authorization: Bearer … (POST /auth/token/ gives one, or: tidemark token create).")
}
