import CoreMetrics
import SyncStore
import Synchronization

/// What a handle of swift-metrics counts into.
protocol Instrument: AnyObject, Sendable {
    var reading: Sample.Reading { get }
}

final class CounterInstrument: Instrument, CounterHandler {
    private let value = Atomic<Int64>(0)

    var reading: Sample.Reading { .number(Double(value.load(ordering: .relaxed))) }

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }
}

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

/// Of values as they are, and of durations in seconds.
final class HistogramInstrument: Instrument, TimerHandler, RecorderHandler {
    private let histogram: Mutex<Histogram>

    init(bounds: [Double]) { histogram = Mutex(Histogram(bounds: bounds)) }

    var reading: Sample.Reading { .histogram(histogram.withLock { $0 }) }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { histogram.withLock { $0.add(value) } }
}
