import Dispatch
import SyncProtocol
import Synchronization

/// Runs key derivations on threads of their own, at most two at once. A flood of logins then takes neither the memory
/// nor the threads that serve requests. Further derivations wait in line, up to a limit.
package final class HashingQueue: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        var running = 0
        var waiting: [Job] = []
    }

    /// The queue of the process.
    package static let shared = HashingQueue()

    private let width: Int
    private let limit: Int
    private let threads = DispatchQueue(label: "tidemark.hashing", attributes: .concurrent)
    private let state = Mutex(State())

    /// At most `width` jobs run at once, and at most `limit` jobs wait.
    package init(width: Int = 2, limit: Int = 64) {
        self.width = width
        self.limit = limit
    }

    /// Throws `busy` if the line is full, and what the job throws.
    package func run<Value: Sendable>(_ job: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = submit { continuation.resume(with: Result { try job() }) }
            if !isTaken {
                continuation.resume(throwing: Problem(.busy, "Too many logins at once. Try again in a moment."))
            }
        }
    }

    /// False if the line is full.
    private func submit(_ job: @escaping Job) -> Bool {
        let startsNow: Bool? = state.withLock { state in
            if state.running < width {
                state.running += 1
                return true
            }
            guard state.waiting.count < limit else { return nil }
            state.waiting.append(job)
            return false
        }
        if startsNow == true { threads.async { self.work(through: job) } }
        return startsNow != nil
    }

    /// Runs jobs until nobody waits.
    private func work(through first: @escaping Job) {
        var next: Job? = first
        while let job = next {
            job()
            next = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.running -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
        }
    }
}
