import Synchronization

/// A page that is being read, and the readers who wait for it.
final class Flight: Sendable {
    /// How the read ended.
    enum Landing: Sendable {
        case shared(SharedPage)
        /// Every reader has to read the page itself.
        case `private`
        /// The page was not read, or it no longer fits its key. Worth another try.
        case lost
    }

    private enum State {
        case underWay([CheckedContinuation<Landing, Never>])
        case landed(Landing)
    }

    private let state = Mutex(State.underWay([]))

    /// Waits for the end of the read.
    func landing() async -> Landing {
        await withCheckedContinuation { continuation in
            let landed: Landing? = state.withLock { state in
                switch state {
                case .landed(let landing): return landing
                case .underWay(var waiting):
                    // Empty the state first. Otherwise each append would copy the list.
                    state = .underWay([])
                    waiting.append(continuation)
                    state = .underWay(waiting)
                    return nil
                }
            }
            if let landed { continuation.resume(returning: landed) }
        }
    }

    /// Ends the wait of all readers. Only the first call counts.
    func land(_ landing: Landing) {
        let waiting = state.withLock { state -> [CheckedContinuation<Landing, Never>] in
            guard case .underWay(let waiting) = state else { return [] }
            state = .landed(landing)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: landing) }
    }
}
