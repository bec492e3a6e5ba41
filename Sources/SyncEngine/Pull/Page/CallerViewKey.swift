import NIOCore
import SyncAccounts
import SyncProtocol
import SyncStore

/// A caller's question for what may be seen of a project.
struct CallerViewKey: Hashable, Sendable {
    let project: String
    let caller: Caller
}
