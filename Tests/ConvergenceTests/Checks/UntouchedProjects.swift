import SyncClientCore
import SyncProtocol
import SyncStore
import SyncTestKit

/// The heads of all projects before a batch over several projects.
struct UntouchedProjects: Sendable {
    private let heads: [String: SyncSeq]

    /// Nil if the request is no such batch.
    init?(_ request: TransportRequest, in world: isolated World) async throws {
        guard request.method == .post, !request.url.contains("/projects/") else { return nil }
        heads = try await UntouchedProjects.heads(in: world)
    }

    /// Throws a `Failure` if the batch wrote to a project that its answer does not name.
    func check(_ response: TransportResponse, in world: isolated World) async throws {
        guard response.status == 200, let answer = try? JSON(parsing: response.body) else { return }
        let named = Set((answer["timestamps"]?.object ?? [:]).keys)
        let touched = try await UntouchedProjects.heads(in: world).filter { project, head in
            !named.contains(project) && heads[project] != head
        }
        guard touched.isEmpty else { throw Failure("a batch wrote to \(touched.keys): \(answer.text)") }
    }

    private static func heads(in world: isolated World) async throws -> [String: SyncSeq] {
        try await world.server.bench.store.read { transaction in
            let projects = try transaction.projects(of: nil, after: "", limit: 1000)
            return try projects.reduce(into: [:]) { $0[$1.id] = try transaction.project($1.id)?.head }
        }
    }
}
