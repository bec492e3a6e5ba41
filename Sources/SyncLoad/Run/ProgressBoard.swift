import Synchronization

/// The progress of all event loops, for whoever displays it.
final class ProgressBoard: Sendable {
    private let state = Mutex(LoadProgress())

    var now: LoadProgress { state.withLock { $0 } }

    func add(requests: Int, mistakes: Int, finishedClients: Int) {
        state.withLock {
            $0.requests += requests
            $0.mistakes += mistakes
            $0.finishedClients += finishedClients
        }
    }
}
