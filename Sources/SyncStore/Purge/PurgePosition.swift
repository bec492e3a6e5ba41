import SyncProtocol

/// Where the next step of a purge continues in a collection.
package struct PurgePosition: Sendable, Equatable {
    /// The last tombstone that was examined, by `(sync_seq, id)`.
    package var key: KeysetPosition
    /// Ids of rows of the same collection that a removed tombstone
    /// referred to. They are examined next, the last one first.
    package var parents: [String]

    package init(key: KeysetPosition, parents: [String] = []) {
        self.key = key
        self.parents = parents
    }

    /// Before the collection's first tombstone.
    package static let start = PurgePosition(key: KeysetPosition(seq: .zero, id: ""))
}
