/// The number of a project's rows in a collection, or a change of it.
package struct RowCounts: Sendable, Equatable {
    package var live: Int
    package var tombstones: Int

    package init(live: Int, tombstones: Int) {
        self.live = live
        self.tombstones = tombstones
    }
}
