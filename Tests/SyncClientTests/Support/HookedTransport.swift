import SyncProtocol
import Synchronization

@testable import SyncClientCore

/// Runs a hook on each exchange, to write something between pages or to lose answers.
struct HookedTransport: Transport {
    let server: FakeServer
    /// Gets the request's number, counted from 0, and the server's answer. Its result is what arrives.
    let hook: @Sendable (Int, TransportResponse) async throws -> TransportResponse
    private let counter = Counter()

    init(
        _ server: FakeServer, hook: @escaping @Sendable (Int, TransportResponse) async throws -> TransportResponse
    ) {
        self.server = server
        self.hook = hook
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let number = counter.next()
        return try await hook(number, server.send(request))
    }
}

/// Counts from 0.
final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}

/// The process died. No part of the library knows this error, so nothing cleans up.
struct Crash: Error {}
