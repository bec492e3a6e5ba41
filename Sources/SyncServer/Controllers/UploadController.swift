import HTTPTypes
import Hummingbird
import NIOCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// `POST /projects/{id}/sync/`.
struct UploadController<Store: SyncStore>: Sendable {
    let service: UploadService<Store>
    let registry: Registry
    let settings: SyncSettings
    let metrics: UploadMetrics

    func upload(_ request: Request, _ context: CallerContext) async throws -> Response {
        let answer = try await metrics.counting(try await uploadRequest(request, context)) {
            try await service.upload($0, by: context.caller)
        }
        var reply = Reply(body: ByteBuffer(string: answer.body))
        if answer.isReplay { reply.headers[.idempotentReplayed] = "true" }
        return reply.response(to: request)
    }

    /// The body is an envelope or, if the query has `last_pulled_at`, WatermelonDB's own push.
    private func uploadRequest(_ request: Request, _ context: CallerContext) async throws -> UploadRequest {
        let project = try context.parameters.require("project")
        let query = try Query(request)
        let (lastPulledAt, onError) = (try query.lastPulledAt(), try query.errorMode())
        let body = try await JSONBody.read(request)
        guard let lastPulledAt else {
            return try UploadRequest(
                project: project, body: body, registry: registry, maximumRows: settings.batchMaximumRows)
        }
        return try UploadRequest(
            project: project, stock: body, lastPulledAt: lastPulledAt, onError: onError ?? .rejectBatch,
            registry: registry,
            maximumRows: settings.batchMaximumRows)
    }
}
