import Synchronization

/// Follows a check: hears of each part that is done, and can end the check from another thread.
package final class CheckWatch: Sendable {
    private struct State {
        var done = 0
        var total = 0
        var isEnded = false
        var ends: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let onProgress: @Sendable (_ done: Int, _ total: Int) -> Void

    /// `onProgress` hears how many parts are done, and how many there are. It may be called on any thread.
    package init(onProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }) {
        self.onProgress = onProgress
    }

    /// Says that there are more parts.
    package func add(parts: Int) { report { $0.total += parts } }

    package func finishPart() { report { $0.done += 1 } }

    /// Ends the check, which then throws a `CancellationError`.
    package func end() {
        let ends = state.withLock { state in
            state.isEnded = true
            defer { state.ends = [] }
            return state.ends
        }
        for end in ends { end() }
    }

    /// Calls `body` when the check is to end, or now if it already is.
    package func onEnd(_ body: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.ends.append(body) }
            return state.isEnded
        }
        if isEnded { body() }
    }

    package var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Throws a `CancellationError` if the check is to end.
    package func requireGoingOn() throws { if isEnded { throw CancellationError() } }

    private func report(_ change: (inout State) -> Void) {
        let (done, total) = state.withLock { state in
            change(&state)
            return (state.done, state.total)
        }
        onProgress(done, total)
    }
}
