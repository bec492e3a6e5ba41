import NIOCore
import SyncEngine
import Synchronization

/// Wakes the task of a held pull. It may ring before the task waits.
final class Bell: Sendable {
    enum Ring: Sendable {
        /// There may be something new.
        case look
        /// The time is up, the client is gone, or the task is cancelled.
        case timeUp
        /// The token has expired or was revoked.
        case unauthorized
        /// The server stops.
        case stopping
    }

    fileprivate struct State {
        var waiter: CheckedContinuation<Ring, Never>?
        var looks = false
        /// The first ring that ends the pull.
        var end: Ring?
    }

    private let state = Mutex(State())

    func ring(_ ring: Ring) {
        let waiter = state.withLock { state in
            if case .look = ring { state.looks = true } else { state.end = state.end ?? ring }
            return state.take()
        }
        if let waiter { waiter.0.resume(returning: waiter.1) }
    }

    /// Waits for the next ring. Rings that end the pull come first, and are repeated.
    func next() async -> Ring {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = state.withLock { state in
                    state.waiter = continuation
                    return state.take()
                }
                if let waiter { waiter.0.resume(returning: waiter.1) }
            }
        } onCancel: {
            ring(.timeUp)
        }
    }
}

extension Bell.State {
    /// The waiting task and its ring; nil if there is no task or no ring.
    fileprivate mutating func take() -> (CheckedContinuation<Bell.Ring, Never>, Bell.Ring)? {
        guard let waiter, let ring = end ?? (looks ? .look : nil) else { return nil }
        (self.waiter, looks) = (nil, false)
        return (waiter, ring)
    }
}
