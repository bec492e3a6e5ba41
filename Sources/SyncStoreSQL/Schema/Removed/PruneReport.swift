/// What a prune removed.
package struct PruneReport: Sendable, Equatable {
    /// Names as in `tasks.notes`.
    package internal(set) var fields: [String] = []
    package internal(set) var collections: [String] = []
    /// The number of rows of the collections, tombstones included.
    package internal(set) var rows = 0

    package init(fields: [String] = [], collections: [String] = [], rows: Int = 0) {
        (self.fields, self.collections, self.rows) = (fields, collections, rows)
    }
}
