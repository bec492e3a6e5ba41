import CoreMetrics
import SyncStore
import Synchronization

/// What a swift-metrics handle writes to.
protocol Instrument: AnyObject, Sendable {
    var reading: Sample.Reading { get }
}
