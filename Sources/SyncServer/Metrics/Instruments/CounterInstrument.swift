import CoreMetrics
import SyncStore
import Synchronization

/// A count that only grows, except when it is reset.
final class CounterInstrument: Instrument, CounterHandler {
    private let value = Atomic<Int64>(0)

    var reading: Sample.Reading { .number(Double(value.load(ordering: .relaxed))) }

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }
}
