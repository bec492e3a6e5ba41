package import Hummingbird
import NIOCore
import SyncAccounts
import SyncProtocol

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
