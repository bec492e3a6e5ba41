import SyncProtocol
import SyncSchema

/// Where a purge stands in a collection between two steps.
package struct PurgePosition: Sendable, Equatable {
    /// The last tombstone looked at.
    package var key: KeysetPosition
    /// Parents that lost a child, to be looked at next.
    package var parents: [String]

    package init(key: KeysetPosition, parents: [String] = []) {
        self.key = key
        self.parents = parents
    }

    package static let start = PurgePosition(key: KeysetPosition(seq: .zero, id: ""))
}
