package import SyncProtocol
import SyncSchema
package import SyncStore

/// A live membership, as the operator sees it.
package struct Member: Sendable, Equatable {
    package let user: User
    package let role: Role
}
