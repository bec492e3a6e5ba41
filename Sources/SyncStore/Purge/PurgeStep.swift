package import SyncProtocol

/// The result of one step of a purge.
package struct PurgeStep: Sendable, Equatable {
    /// The number of tombstones that were removed.
    package var removed = 0
    /// The greatest `sync_seq` of the removed tombstones; zero if none was removed.
    package var largest = SyncSeq.zero
    /// Where the next step continues; nil if the collection is done.
    package var next: PurgePosition?

    package init() {}
}
