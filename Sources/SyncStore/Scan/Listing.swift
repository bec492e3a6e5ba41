/// A list that is filtered or sorted, as the store is asked for it.
package struct Listing: Sendable {
    /// Of whose rows.
    package enum Scope: Sendable {
        /// Rows of a project: of `.all`, `.own` or `.ungated`.
        case rows(SegmentScan.Rows, project: String)
        /// Projects of the user, or all for nil.
        case projects(of: Int64?)
    }

    package let query: ListQuery
    package let scope: Scope
    /// The place behind which to begin; nil for the start.
    package let after: ListPlace?
    package let limit: Int

    package init(_ query: ListQuery, scope: Scope, after: ListPlace?, limit: Int) {
        (self.query, self.scope, self.after, self.limit) = (query, scope, after, limit)
    }
}
