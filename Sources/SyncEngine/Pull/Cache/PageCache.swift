import SyncStore
import Synchronization

/// Keeps pages that many callers ask for. Each page is read and compressed only once.
final class PageCache: Sendable {
    private struct State {
        var pages: LRU<PageKey, SharedPage>
        var flights: [PageKey: PageFlight] = [:]
        var metrics = PageCacheMetrics()
    }

    /// What the cache has for a key.
    enum Answer {
        case kept(SharedPage)
        /// Somebody is reading it.
        case awaited(PageFlight)
        /// Nobody is reading it. The caller who gets this answer must read it, and must call `land` even if that fails.
        case missing(PageFlight)
    }

    private let state: Mutex<State>

    /// Keeps at most `bytes` bytes of pages in total.
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
            let flight = PageFlight()
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

    /// Tells everybody who waits how the read ended. Keeps the page if it can be shared.
    func land(_ flight: PageFlight, of key: PageKey, with landing: PageLanding) {
        state.withLock { state in
            state.flights[key] = nil
            if case .shared(let page) = landing { state.pages.keep(page, of: key, cost: page.cost + key.cost) }
        }
        flight.land(landing)
    }
}
