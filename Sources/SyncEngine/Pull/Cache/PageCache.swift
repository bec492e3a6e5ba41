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

/// A page that is being read, and those who wait for it.
final class Flight: Sendable {
    /// What became of it.
    enum Landing: Sendable {
        case shared(SharedPage)
        /// Everybody has to read for himself.
        case `private`
        /// It was not read, or of another moment: worth another try.
        case lost
    }

    private enum State {
        case underWay([CheckedContinuation<Landing, Never>])
        case landed(Landing)
    }

    private let state = Mutex(State.underWay([]))

    func landing() async -> Landing {
        await withCheckedContinuation { continuation in
            let landed: Landing? = state.withLock { state in
                switch state {
                case .landed(let landing): return landing
                case .underWay(var waiting):
                    // Taken out first, so that the list is not copied for each who comes.
                    state = .underWay([])
                    waiting.append(continuation)
                    state = .underWay(waiting)
                    return nil
                }
            }
            if let landed { continuation.resume(returning: landed) }
        }
    }

    func land(_ landing: Landing) {
        let waiting = state.withLock { state -> [CheckedContinuation<Landing, Never>] in
            guard case .underWay(let waiting) = state else { return [] }
            state = .landed(landing)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: landing) }
    }
}
