package import SyncProtocol
import SyncSchema

/// What one step of a purge did.
package struct PurgeStep: Sendable, Equatable {
    package var removed = 0
    /// The greatest number among the removed.
    package var largest = SyncSeq.zero
    /// Nil when the collection is done.
    package var next: PurgePosition?

    package init() {}
}
