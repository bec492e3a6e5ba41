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

extension ProjectService {
    /// All live projects by id, from one committed state.
    package func summaries() async throws -> [ProjectSummary] {
        let name = registry.projects.position("name")
        return try await store.read { transaction in
            try transaction.allProjects(of: nil).map { row in
                let counts = try transaction.counts(project: row.id)
                return ProjectSummary(
                    id: row.id, name: name.flatMap { row.values[$0].string } ?? "",
                    isArchived: try transaction.project(row.id)?.isArchived ?? false,
                    members: counts[registry.memberships.name]?.live ?? 0,
                    rows: counts.values.reduce(0) { $0 + $1.live })
            }
        }
    }
}
