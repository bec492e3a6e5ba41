import Synchronization

/// Counts connections.
final class ConnectionPlaces: Sendable {
    enum Answer {
        case taken
        /// The first to be refused since there last was a place.
        case full
        case stillFull
    }

    private struct State {
        var taken = 0
        var wasFull = false
    }

    let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    /// Takes a place, which has to be given back, where there is one.
    func take() -> Answer {
        state.withLock { state in
            guard state.taken >= limit else {
                state.taken += 1
                state.wasFull = false
                return .taken
            }
            defer { state.wasFull = true }
            return state.wasFull ? .stillFull : .full
        }
    }

    /// How many are open.
    var taken: Int { state.withLock { $0.taken } }

    func giveBack() { state.withLock { $0.taken -= 1 } }
}
