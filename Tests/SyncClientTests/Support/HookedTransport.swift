import SyncProtocol
import Synchronization

@testable import SyncClient

/// Runs a hook on each exchange: to change the world between pages, or to let answers fail.
struct HookedTransport: Transport {
    let server: FakeServer
    /// Gets the request's number from 0 and the server's answer; what it returns arrives.
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
