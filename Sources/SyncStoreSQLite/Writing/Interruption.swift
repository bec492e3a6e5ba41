import GRDB
import Synchronization

/// Ends long work on separate connections from another thread.
package final class Interruption: Sendable {
    private struct State {
        var queues: [DatabaseQueue] = []
        var isCalled = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Work under way throws, and so does work that begins later.
    package func call() {
        state.withLock { state in
            state.isCalled = true
            for queue in state.queues { queue.interrupt() }
        }
    }

    /// Throws a `CancellationError` if `call` was called. Needed between two
    /// statements, because SQLite interrupts only statements that are running.
    func requireNone() throws { if state.withLock({ $0.isCalled }) { throw CancellationError() } }

    /// Opens `path` for reading, runs `body` on the connection, and
    /// closes it. Throws a `CancellationError` if it was interrupted.
    func reading<Value>(
        _ path: String, preparing prepare: @escaping @Sendable (Database) throws -> Void = { _ in },
        _ body: (DatabaseQueue) throws -> Value
    ) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        // Readers may stay in a transaction from one call to the next.
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase(prepare)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try state.withLock { state in
            guard !state.isCalled else { throw CancellationError() }
            state.queues.append(queue)
        }
        defer { state.withLock { $0.queues.removeAll { $0 === queue } } }
        do {
            return try body(queue)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw CancellationError()
        }
    }
}
