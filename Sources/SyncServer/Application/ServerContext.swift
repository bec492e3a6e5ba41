package import Hummingbird
import NIOCore
import SyncAccounts
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
