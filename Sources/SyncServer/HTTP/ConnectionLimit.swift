import Synchronization

/// Limits the number of open connections.
final class ConnectionLimit: Sendable {
    enum Answer {
        case taken
        /// Refused, for the first time since a connection was last accepted.
        case full
        /// Refused again.
        case stillFull
    }

    private struct State {
        var taken = 0
        var wasFull = false
        /// The most connections that were open since `giveBack` last returned true.
        var most = 0
    }

    /// So many closed connections that their memory, some 11 MB, is worth returning to the system.
    private static let crowd = 1000

    let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    /// Takes a slot if one is free. It must be given back with `giveBack`.
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

    /// How many connections are open.
    var taken: Int { state.withLock { $0.taken } }

    /// Gives a slot back. Returns true once for each `crowd` of connections that has closed.
    func giveBack() -> Bool {
        state.withLock { state in
            state.taken -= 1
            guard state.most - state.taken >= ConnectionLimit.crowd else { return false }
            state.most = state.taken
            return true
        }
    }
}
