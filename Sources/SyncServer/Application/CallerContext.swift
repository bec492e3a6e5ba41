package import Hummingbird
import NIOCore
package import SyncAccounts
import SyncProtocol

/// The context of routes that need a caller. It can't be made
/// without one, so no route can lack authentication by accident.
package struct CallerContext: ChildRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let caller: Caller
    /// The connection.
    let channel: any Channel
    /// What the body of an upload tells of its device; nil for other requests.
    var uploading: UploadingDevice?

    /// Throws `unauthorized` if the request has no caller.
    package init(context: ServerContext) throws {
        guard let caller = context.caller else { throw Problem.unauthorized }
        coreContext = context.coreContext
        self.caller = caller
        channel = context.channel
    }
}
