import SyncProtocol

/// How many rows of a collection a project has.
package struct RowCounts: Sendable, Equatable {
    package var live: Int
    package var tombstones: Int

    package init(live: Int, tombstones: Int) {
        self.live = live
        self.tombstones = tombstones
    }
}
