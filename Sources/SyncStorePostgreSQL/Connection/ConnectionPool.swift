import Dispatch
import SyncStore
import Synchronization

/// A fixed number of places for connections. Each has a dispatch queue of its own, because its thread waits for the
/// server. A connection is opened when its place is first used, and again after it was lost.
final class ConnectionPool: Sendable {
    /// One place. Its connection is used on its queue alone, and by one user at a time.
    private final class Place: @unchecked Sendable {
        let queue: DispatchQueue
        var connection: Connection?

        init(_ label: String) { queue = DispatchQueue(label: label) }
    }

    /// Work for a connection. It is gone when its result is there, although the queue's block may still be. So the
    /// caller's closure does not escape.
    private final class Work<Value>: @unchecked Sendable {
        private var body: ((Connection) throws -> Value)?

        init(_ body: @escaping (Connection) throws -> Value) { self.body = body }

        func run(_ connection: () throws -> Connection) throws -> Value {
            let body = body!
            self.body = nil
            return try body(connection())
        }
    }

    private struct State {
        var free: [Place]
        /// Those who wait for a place, in the order in which they came.
        var waiting: [CheckedContinuation<Place, Never>] = []
        var isClosed = false
    }

    private let name: String
    private let places: Int
    private let state: Mutex<State>
    private let line: DatabaseLine
    private let heartbeat: Heartbeat?

    /// No connection is opened while the database takes no heartbeat.
    init(_ name: String, places: Int, line: DatabaseLine, heartbeat: Heartbeat? = nil) {
        self.name = name
        self.places = places
        self.heartbeat = heartbeat
        state = Mutex(State(free: (0..<places).map { _ in Place("tidemark \(name)") }))
        self.line = line
    }

    /// Whether it makes sense to connect now.
    var mayConnect: Bool { heartbeat?.isFresh ?? true }

    /// Runs `body` with a connection, on that connection's queue. Waits until one is free.
    func use<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) async throws -> Value {
        let place = await take()
        defer { giveBack(place) }
        return try await withoutActuallyEscaping(body) { body in
            let work = Work(body)
            return try await withCheckedThrowingContinuation { continuation in
                place.queue.async {
                    continuation.resume(with: Result { try work.run { try self.connection(of: place) } })
                }
            }
        }
    }

    var metrics: SharedDatabaseMetrics.Pool {
        state.withLock {
            SharedDatabaseMetrics.Pool(name: name, used: places - $0.free.count, waiting: $0.waiting.count)
        }
    }

    /// Closes the connections that are free, and the others when they are given back.
    func close() {
        let free = state.withLock { state in
            state.isClosed = true
            return state.free
        }
        for place in free { place.queue.sync { place.connection = nil } }
    }

    private func connection(of place: Place) throws -> Connection {
        if let connection = place.connection, line.isUsable(connection) { return connection }
        place.connection = nil
        // Whoever waits is answered at once, and not after the tries of all who wait in front.
        try heartbeat?.requireFresh()
        let connection = try line.open()
        place.connection = connection
        return connection
    }

    private func take() async -> Place {
        await withCheckedContinuation { continuation in
            let place = state.withLock { state in
                if let place = state.free.popLast() { return place as Place? }
                state.waiting.append(continuation)
                return nil
            }
            if let place { continuation.resume(returning: place) }
        }
    }

    private func giveBack(_ place: Place) {
        let (next, isClosed) = state.withLock { state in
            guard state.waiting.isEmpty else { return (state.waiting.removeFirst() as CheckedContinuation?, false) }
            state.free.append(place)
            return (nil, state.isClosed)
        }
        if isClosed { place.queue.async { place.connection = nil } }
        next?.resume(returning: place)
    }
}

/// How to reach the database, and what every connection is asked before it is used.
struct DatabaseLine: Sendable {
    let address: ServerAddress
    let settings: String
    let history: HistoryGuard

    /// Connects. Blocks.
    func open() throws -> Connection {
        let connection = try Connection(address, settings: settings)
        try history.admit(connection)
        return connection
    }

    /// Whether a connection that was opened before can still be used.
    func isUsable(_ connection: Connection) -> Bool { !connection.isLost && history.isCurrent(connection) }
}
