import CoreMetrics
import Synchronization

/// What a swift-metrics handle writes to.
protocol Instrument: AnyObject, Sendable {
    /// The current value.
    var reading: Sample.Reading { get }
}
