package import CoreMetrics
import Synchronization

/// Keeps what one server measures. A factory for swift-metrics that is handed to its handles, never installed for the whole
/// process, so that two servers in one process count apart.
///
/// Two handles of one label and the same dimensions count into the same instrument.
package final class MetricsRegistry: MetricsFactory {
    typealias Collector = @Sendable () -> [Sample]

    private struct State {
        var instruments: [Sample.Series: any Instrument] = [:]
        var collectors: [Collector] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Has `collector` asked for figures that others keep, each time that somebody looks.
    func collect(_ collector: @escaping Collector) { state.withLock { $0.collectors.append(collector) } }

    /// All that is known now. Counters that nobody has touched yet are there, as soon as their handles are.
    func samples() -> [Sample] {
        let (instruments, collectors) = state.withLock { ($0.instruments, $0.collectors) }
        return instruments.map { Sample($0.key, $0.value.reading) } + collectors.flatMap { $0() }
    }

    /// The one there is, or a new one. A label stands for one kind of instrument: of another kind one is given that counts
    /// for nobody.
    private func instrument<Kind: Instrument>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Kind
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
        instrument(label, dimensions) { CounterInstrument() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(label, dimensions) { GaugeInstrument() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return instrument(label, dimensions) { GaugeInstrument() } }
        return instrument(label, dimensions) { HistogramInstrument(bounds: bounds(label)) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(label, dimensions) { HistogramInstrument(bounds: bounds(label)) }
    }

    package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }
}
