import Synchronization

/// How far the answer to a pull takes its device. Whoever sends the end of a drain says so.
final class DrainingDevice: Sendable {
    private struct State {
        var reached: Int64?
        var later: (@Sendable (Int64) -> Void)?
    }

    private let state = Mutex(State())

    /// The `timestamp` of the drain that the answer ends; nil if it ends none, or is a stream that still runs.
    var reached: Int64? { state.withLock { $0.reached } }

    /// Has `body` called if the drain ends after the answer has begun.
    func later(_ body: @escaping @Sendable (Int64) -> Void) { state.withLock { $0.later = body } }

    /// The drain with this `timestamp` is sent, or will be with the answer.
    func reach(_ timestamp: Int64) {
        let later = state.withLock { state in
            state.reached = timestamp
            return state.later
        }
        later?(timestamp)
    }
}
