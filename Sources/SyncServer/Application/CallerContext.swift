package import Hummingbird
import NIOCore
package import SyncAccounts
import SyncProtocol

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
