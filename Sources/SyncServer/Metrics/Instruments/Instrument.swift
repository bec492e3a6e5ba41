import CoreMetrics
import SyncStore
import Synchronization

/// What a handle of swift-metrics counts into.
protocol Instrument: AnyObject, Sendable {
    var reading: Sample.Reading { get }
}
