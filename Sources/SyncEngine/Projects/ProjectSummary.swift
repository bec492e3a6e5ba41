import SyncProtocol
import SyncSchema
import SyncStore

/// A live project, as the operator's list shows it.
package struct ProjectSummary: Sendable, Equatable {
    package let id: String
    /// Empty if projects have no `name` in the schema.
    package let name: String
    package let isArchived: Bool
    package let members: Int
    /// Number of live rows in all collections, including the project's own row and its memberships.
    package let rows: Int
}
