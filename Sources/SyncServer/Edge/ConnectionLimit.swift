import Synchronization

/// Counts connections.
final class ConnectionLimit: Sendable {
    enum Answer {
        case taken
        /// The first to be refused since there last was a place.
        case full
        case stillFull
    }

    private struct State {
        var taken = 0
        var wasFull = false
        /// The most that were taken since a crowd last was gone.
        var most = 0
    }

    /// So many that their memory is worth asking for: some 11 MB.
    private static let crowd = 1000

    let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    /// Takes a place, which has to be given back, where there is one.
    func take() -> Answer {
        state.withLock { state in
            guard state.taken >= limit else {
                state.taken += 1
                state.most = max(state.most, state.taken)
                state.wasFull = false
                return .taken
            }
            defer { state.wasFull = true }
            return state.wasFull ? .stillFull : .full
        }
    }

    /// How many are open.
    var taken: Int { state.withLock { $0.taken } }

    /// Gives a place back. Returns whether a crowd is gone by now, once for each.
    func giveBack() -> Bool {
        state.withLock { state in
            state.taken -= 1
            guard state.most - state.taken >= ConnectionLimit.crowd else { return false }
            state.most = state.taken
            return true
        }
    }
}
