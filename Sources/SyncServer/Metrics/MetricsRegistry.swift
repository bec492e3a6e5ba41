package import CoreMetrics
import SyncStore
import Synchronization

/// The metrics of one server. This is a factory for swift-metrics that is passed to each handle
/// and never installed for the whole process, so two servers in one process count separately.
///
/// Two handles with the same label and the same dimensions share an instrument.
package final class MetricsRegistry: MetricsFactory {
    typealias Collector = @Sendable () -> [Sample]

    private struct State {
        var instruments: [Sample.Series: any Instrument] = [:]
        var collectors: [Collector] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds a collector for metrics that others keep. It is called at each scrape.
    func collect(_ collector: @escaping Collector) { state.withLock { $0.collectors.append(collector) } }

    /// All current samples. A counter is included as soon as its handle exists, even if it is still 0.
    func samples() -> [Sample] {
        let (instruments, collectors) = state.withLock { ($0.instruments, $0.collectors) }
        return instruments.map { Sample($0.key, $0.value.reading) } + collectors.flatMap { $0() }
    }

    /// The existing instrument, or a new one. A label belongs to one kind of instrument.
    /// A request for another kind gets an instrument that is not in the registry.
    private func instrument<Kind: Instrument>(
        _ label: String, dimensions: [(String, String)], make: () -> Kind
    ) -> Kind {
        let labels = dimensions.map { Sample.Label(name: $0.0, value: $0.1) }
        let series = Sample.Series(name: label, labels: labels)
        return state.withLock { state in
            guard let known = state.instruments[series] else {
                let made = make()
                state.instruments[series] = made
                return made
            }
            return known as? Kind ?? make()
        }
    }

    private func forget(_ handler: AnyObject) {
        state.withLock { state in
            state.instruments = state.instruments.filter { $0.value !== handler }
        }
    }

    private func bounds(_ label: String) -> [Double] { Metric.named[label]?.bounds ?? Metric.durations.bounds }
}

extension MetricsRegistry {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(label, dimensions: dimensions) { CounterInstrument() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(label, dimensions: dimensions) { GaugeInstrument() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return instrument(label, dimensions: dimensions) { GaugeInstrument() } }
        return instrument(label, dimensions: dimensions) { HistogramInstrument(bounds: bounds(label)) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(label, dimensions: dimensions) { HistogramInstrument(bounds: bounds(label)) }
    }

    package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }
}

/// What a swift-metrics handle writes to.
protocol Instrument: AnyObject, Sendable {
    /// The current value.
    var reading: Sample.Reading { get }
}

/// A count that only grows, except when it is reset.
final class CounterInstrument: Instrument, CounterHandler {
    private let value = Atomic<Int64>(0)

    var reading: Sample.Reading { .number(Double(value.load(ordering: .relaxed))) }

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }
}

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

/// A histogram of plain values, or of durations in seconds.
final class HistogramInstrument: Instrument, TimerHandler, RecorderHandler {
    private let histogram: Mutex<Histogram>

    init(bounds: [Double]) { histogram = Mutex(Histogram(bounds: bounds)) }

    var reading: Sample.Reading { .histogram(histogram.withLock { $0 }) }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { histogram.withLock { $0.add(value) } }
}
