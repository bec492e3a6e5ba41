import CoreMetrics
import NIOCore

/// Counts what becomes of pokes.
struct EventMetrics: Sendable {
    /// Pokes that were added to one that had not left yet.
    let merged: Counter
    /// Streams that were closed because their client did not read.
    let slow: Counter
    private let delay: Timer

    init(_ registry: MetricsRegistry) {
        merged = Counter(label: Metric.mergedPokes.name, factory: registry)
        slow = Counter(label: Metric.slowStreams.name, factory: registry)
        delay = Timer(label: Metric.pokeDelay.name, factory: registry)
    }

    /// A poke was written now, for commits that the server heard of at `heardAt`.
    func poked(_ heardAt: NIODeadline) { delay.recordNanoseconds((NIODeadline.now() - heardAt).nanoseconds) }
}
