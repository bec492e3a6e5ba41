import CoreMetrics
import SyncStore
import Synchronization

/// A value that can rise and fall. Only the newest one is kept.
final class GaugeInstrument: Instrument, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    var reading: Sample.Reading { .number(value.withLock { $0 }) }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
}
