import CoreMetrics
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
        return try await reply(request, context: context, upload: try await uploadRequest(request, project)) {
            try await service.upload($0, by: context.caller)
        }
    }

    func uploadAll(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await reply(request, context: context, upload: try await uploadRequest(request, "")) {
            try await service.uploadAll($0, by: context.caller)
        }
    }

    private func reply(
        _ request: Request, context: CallerContext, upload: UploadRequest,
        apply: (UploadRequest) async throws -> UploadAnswer
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
        let lastPulledAt = try query.lastPulledAt()
        let onError = try query.errorMode()
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

/// The parameters of WatermelonDB's own push.
extension Query {
    /// `on_error`; nil if absent. Throws `invalid_parameter`, also if the body is an envelope, which has its own.
    func errorMode() throws -> UploadRequest.ErrorMode? {
        guard let text = text("on_error") else { return nil }
        guard let mode = UploadRequest.ErrorMode(rawValue: text) else {
            let words = UploadRequest.ErrorMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalidParameter, "on_error must be one of \(words).")
        }
        guard self.text("last_pulled_at") != nil else {
            throw Problem(
                .invalidParameter,
                "on_error in the query needs last_pulled_at there. In an envelope, put it in the body.")
        }
        return mode
    }
}

/// Counts uploaded rows by their outcome.
struct UploadMetrics: Sendable {
    private let applied: Counter
    private let skipped: Counter
    private let rejected: Counter
    private let refused: Counter
    private let replays: Counter

    init(_ registry: MetricsRegistry) {
        func rows(_ outcome: String) -> Counter {
            Counter(label: Metric.uploadedRows.name, dimensions: [("outcome", outcome)], factory: registry)
        }
        applied = rows("applied")
        skipped = rows("skipped")
        rejected = rows("rejected")
        refused = rows("refused")
        replays = Counter(label: Metric.replays.name, factory: registry)
    }

    /// Runs `upload` and counts the rows of the batch, also if it throws.
    func counting(
        _ batch: UploadRequest, _ upload: (UploadRequest) async throws -> UploadAnswer
    ) async throws -> UploadAnswer {
        do {
            let answer = try await upload(batch)
            count(answer)
            return answer
        } catch {
            refused.increment(by: batch.rowCount)
            throw error
        }
    }

    private func count(_ answer: UploadAnswer) {
        if answer.isReplay { replays.increment() }
        applied.increment(by: answer.counts.applied)
        skipped.increment(by: answer.counts.skipped)
        rejected.increment(by: answer.counts.rejected)
    }
}
