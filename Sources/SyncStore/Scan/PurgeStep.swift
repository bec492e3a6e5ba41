package import SyncProtocol
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

/// What one step of a purge did.
package struct PurgeStep: Sendable, Equatable {
    package var removed = 0
    /// The greatest number among the removed.
    package var largest = SyncSeq.zero
    /// Nil when the collection is done.
    package var next: PurgePosition?

    package init() {}
}
