import CoreMetrics
import SyncEngine

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
        (applied, skipped) = (rows("applied"), rows("skipped"))
        (rejected, refused) = (rows("rejected"), rows("refused"))
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
