package import Synchronization

/// A read that is under way, and the callers who wait for it. `Landing` is how the read ended.
package final class Flight<Landing: Sendable>: Sendable {
    @usableFromInline
    enum State {
        case underWay([CheckedContinuation<Landing, Never>])
        case landed(Landing)
    }

    @usableFromInline let state = Mutex(State.underWay([]))

    @inlinable
    package init() {}

    /// Waits for the end of the read.
    package func landing() async -> Landing {
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

    /// Ends the wait of all callers. Only the first call counts.
    package func land(_ landing: Landing) {
        let waiting = state.withLock { state -> [CheckedContinuation<Landing, Never>] in
            guard case .underWay(let waiting) = state else { return [] }
            state = .landed(landing)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: landing) }
    }
}
