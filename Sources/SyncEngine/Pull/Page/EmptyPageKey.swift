import NIOCore
import SyncAccounts

/// A request whose answer stays the same until the next commit.
struct EmptyPageKey: Hashable, Sendable {
    let request: PullRequest
    let caller: Caller
    let isPacked: Bool
}
