import SyncProtocol
import SyncSchema
import SyncStore

extension ProjectService {
    /// All live projects, ordered by id, from one committed state.
    package func summaries() async throws -> [ProjectSummary] {
        let name = registry.projects.position("name")
        return try await store.read(.installation) { transaction in
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
