package import Hummingbird
import NIOCore
package import SyncAccounts
import SyncProtocol

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
