import Synchronization

/// Pages that many are going to ask for: each is read, and compressed, once.
final class PageCache: Sendable {
    private struct State {
        var pages: LRU<PageKey, DrainedPage>
        var flights: [PageKey: Flight] = [:]
    }

    /// What is known of a page.
    enum Answer {
        case kept(DrainedPage)
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
            if let page = state.pages.value(of: key) { return .kept(page) }
            if let flight = state.flights[key] { return .awaited(flight) }
            let flight = Flight()
            state.flights[key] = flight
            return .missing(flight)
        }
    }

    /// Keeps the page that was read, and gives it to all that wait; nil where it can't be shared, or was not read.
    func land(_ flight: Flight, of key: PageKey, with page: DrainedPage?) {
        state.withLock { state in
            state.flights[key] = nil
            if let page { state.pages.keep(page, of: key, cost: page.cost) }
        }
        flight.land(page)
    }

    /// Bytes kept.
    var cost: Int { state.withLock { $0.pages.cost } }
}

/// A page that is being read, and those who wait for it.
final class Flight: Sendable {
    private enum State {
        case underWay([CheckedContinuation<DrainedPage?, Never>])
        case landed(DrainedPage?)
    }

    private let state = Mutex(State.underWay([]))

    /// Nil where everybody has to read for himself.
    func page() async -> DrainedPage? {
        await withCheckedContinuation { continuation in
            let landed: DrainedPage?? = state.withLock { state in
                switch state {
                case .landed(let page): return .some(page)
                case .underWay(let waiting):
                    state = .underWay(waiting + [continuation])
                    return .none
                }
            }
            if let landed { continuation.resume(returning: landed) }
        }
    }

    func land(_ page: DrainedPage?) {
        let waiting = state.withLock { state -> [CheckedContinuation<DrainedPage?, Never>] in
            guard case .underWay(let waiting) = state else { return [] }
            state = .landed(page)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: page) }
    }
}
