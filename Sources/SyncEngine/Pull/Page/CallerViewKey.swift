import NIOCore
import SyncAccounts
import SyncStore

/// Identifies what a caller may see of a project.
struct CallerViewKey: Hashable, Sendable {
    let project: String
    let caller: Caller
}
