/// A request to the store for one page of a filtered or sorted list.
package struct Listing: Sendable {
    /// Where the rows come from.
    package enum Scope: Sendable {
        /// Rows of a project; the rows are `.all`, `.own` or `.ungated`.
        case rows(SegmentScan.Rows, project: String)
        /// The live projects that the user is a member of; with nil, all live projects.
        case projects(of: Int64?)
    }

    package let query: ListQuery
    package let scope: Scope
    /// The page begins after this position; nil for the start.
    package let after: ListPlace?
    package let limit: Int

    package init(_ query: ListQuery, scope: Scope, after: ListPlace?, limit: Int) {
        (self.query, self.scope, self.after, self.limit) = (query, scope, after, limit)
    }
}
