import SyncStore
import Synchronization

/// Pages that many are going to ask for: each is read, and compressed, once.
final class PageCache: Sendable {
    private struct State {
        var pages: LRU<PageKey, SharedPage>
        var flights: [PageKey: Flight] = [:]
        var metrics = PageCacheMetrics()
    }

    /// What is known of a page.
    enum Answer {
        case kept(SharedPage)
        /// Somebody reads it.
        case awaited(Flight)
        /// Nobody does: whoever gets this answer has to, and to call `land`, whatever becomes of it.
        case missing(Flight)
    }

    private let state: Mutex<State>

    /// Keeps pages of that many bytes in all.
    init(bytes: Int) { state = Mutex(State(pages: LRU(budget: bytes))) }

    func answer(to key: PageKey) -> Answer {
        state.withLock { state in
            if let page = state.pages.value(of: key) {
                state.metrics.kept += 1
                return .kept(page)
            }
            if let flight = state.flights[key] {
                state.metrics.awaited += 1
                return .awaited(flight)
            }
            let flight = Flight()
            state.flights[key] = flight
            state.metrics.missing += 1
            return .missing(flight)
        }
    }

    var metrics: PageCacheMetrics {
        state.withLock { state in
            var metrics = state.metrics
            (metrics.pages, metrics.bytes) = (state.pages.count, state.pages.cost)
            return metrics
        }
    }

    /// Tells all that wait what became of the page, and keeps it where it can be shared.
    func land(_ flight: Flight, of key: PageKey, with landing: Flight.Landing) {
        state.withLock { state in
            state.flights[key] = nil
            if case .shared(let page) = landing { state.pages.keep(page, of: key, cost: page.cost + key.cost) }
        }
        flight.land(landing)
    }
}
