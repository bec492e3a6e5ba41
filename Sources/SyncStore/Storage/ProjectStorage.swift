/// What a project holds.
package struct ProjectStorage: Sendable, Equatable {
    /// What was added. Rows that were added and deleted since are tombstones here.
    package struct Growth: Sendable, Equatable {
        package var rows = 0
        package var tombstones = 0
        package var commits = 0

        package init() {}
    }

    /// The number of rows by collection. A collection that has no rows may be missing.
    package var counts: [String: RowCounts] = [:]
    /// Lost edits in inboxes.
    package var rejected = 0
    /// Stored answers to requests with an idempotency key or a batch id.
    package var answers = 0
    /// Digests, one for each collection and audience.
    package var digests = 0
    package var growth = Growth()

    package init() {}
}
