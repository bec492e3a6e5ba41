import HTTPTypes
import Hummingbird
import NIOCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// `POST /projects/{id}/sync/`, and `POST /sync/` for rows of several projects.
struct UploadController<Store: SyncStore>: Sendable {
    let service: UploadService<Store>
    let registry: Registry
    let settings: SyncSettings
    let metrics: UploadMetrics

    func upload(_ request: Request, _ context: CallerContext) async throws -> Response {
        let project = try context.parameters.require("project")
        return try await reply(request, context, try await uploadRequest(request, project)) {
            try await service.upload($0, by: context.caller)
        }
    }

    func uploadAll(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await reply(request, context, try await uploadRequest(request, "")) {
            try await service.uploadAll($0, by: context.caller)
        }
    }

    private func reply(
        _ request: Request, _ context: CallerContext, _ upload: UploadRequest,
        _ apply: (UploadRequest) async throws -> UploadAnswer
    ) async throws -> Response {
        context.uploading?.identify(as: upload.device?.rawValue)
        let answer = try await metrics.counting(upload, apply)
        context.uploading?.wrote(to: answer.projects)
        var reply = Reply(body: ByteBuffer(string: answer.body))
        if answer.isReplay { reply.headers[.idempotentReplayed] = "true" }
        return reply.response(to: request)
    }

    /// The body is an envelope or, if the query has `last_pulled_at`, WatermelonDB's own push.
    private func uploadRequest(_ request: Request, _ project: String) async throws -> UploadRequest {
        let query = try Query(request)
        let (lastPulledAt, onError) = (try query.lastPulledAt(), try query.errorMode())
        let body = try await JSONBody.mended(request)
        guard let lastPulledAt else {
            return try UploadRequest(
                project: project, body: body.value, halves: body.halves, registry: registry,
                maximumRows: settings.batchMaximumRows)
        }
        return try UploadRequest(
            project: project, stock: body.value, halves: body.halves, lastPulledAt: lastPulledAt,
            onError: onError ?? .rejectBatch, registry: registry, maximumRows: settings.batchMaximumRows)
    }
}
