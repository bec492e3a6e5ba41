import HTTPTypes
import Hummingbird
import NIOCore
import SyncEngine
import SyncProtocol
import SyncSchema

/// `POST /projects/{id}/sync/`.
struct UploadController<Store: SyncStore>: Sendable {
    let service: UploadService<Store>
    let registry: Registry
    let settings: SyncSettings

    func upload(_ request: Request, _ context: CallerContext) async throws -> Response {
        let upload = try UploadRequest(
            project: try context.parameters.require("project"), body: try await JSONBody.read(request),
            registry: registry, maximumRows: settings.batchMaximumRows)
        let answer = try await service.upload(upload, by: context.caller)
        var reply = Reply(body: ByteBuffer(string: answer.body))
        if answer.isReplay { reply.headers[.idempotentReplayed] = "true" }
        return reply.response(to: request)
    }
}
