import SyncProtocol
import SyncSchema
import SyncStore

/// A live project in a line, for the operator.
package struct ProjectSummary: Sendable, Equatable {
    package let id: String
    /// Empty where the schema has no names.
    package let name: String
    package let isArchived: Bool
    package let members: Int
    /// Live rows of all collections, the project's own and its memberships included.
    package let rows: Int
}
