import Synchronization

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
