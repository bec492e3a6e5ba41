import Foundation
import SyncAsyncHTTPClient
import SyncProtocol
import Synchronization

@testable import SyncClientCore

/// A network to the server that loses requests and answers, and cuts streams and held pulls, as a seed decides.
final class FaultyTransport: Transport {
    private struct State {
        var url: String
        var dice: SplitMix64
        var isFaulty = true
        var running: [Int: @Sendable () -> Void] = [:]
        var count = 0
    }

    static let url = "http://server"

    private let inner: any Transport
    private let streams: Bool
    private let state: Mutex<State>

    /// Without `streams` it can't open any.
    init(
        to url: String, streams: Bool, seed: UInt64, over inner: any Transport = AsyncHTTPClientTransport()
    ) {
        self.inner = inner
        self.streams = streams
        state = Mutex(State(url: url, dice: SplitMix64(seed: seed)))
    }

    /// Leads to another server from now on.
    func lead(to url: String) { state.withLock { $0.url = url } }

    /// No more faults.
    func heal() { state.withLock { $0.isFaulty = false } }

    /// Cuts all that is under way.
    func cut() {
        let running = state.withLock { $0.running.values }
        for end in running { end() }
    }

    func shutdown() async throws { try await (inner as? AsyncHTTPClientTransport)?.shutdown() }

    /// A test that fails may not shut down. The library would end the process then, and with it all other tests.
    deinit {
        guard let client = inner as? AsyncHTTPClientTransport else { return }
        Task { try? await client.shutdown() }
    }

    /// Throws once in so many times.
    private func fail(_ times: Int, _ error: TransportError) throws {
        let fails = state.withLock { $0.isFaulty && Int.random(in: 0..<times, using: &$0.dice) == 0 }
        if fails { throw error }
    }

    private func leading(_ request: TransportRequest) -> TransportRequest {
        var request = request
        request.url.replace(Self.url, with: state.withLock { $0.url })
        return request
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try fail(10, .unreachable("lost on the way"))
        let task = Task { [inner, request = leading(request)] in try await inner.send(request) }
        let number = begin { task.cancel() }
        defer { end(number) }
        do {
            let answer = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            try fail(10, .interrupted("the answer was lost"))
            return answer
        } catch is CancellationError where !Task.isCancelled { throw TransportError.interrupted("cut") }
    }

    func open(_ request: TransportRequest) async throws -> TransportStream? {
        guard streams else { return nil }
        try fail(5, .unreachable("lost on the way"))
        guard var stream = try await inner.open(leading(request)) else { return nil }
        let (pieces, told) = AsyncThrowingStream<Data, any Error>.makeStream()
        let task = Task { [body = stream.body, self] in
            do {
                for try await bytes in body {
                    let place = bytes.count / 2
                    told.yield(bytes.prefix(place))
                    try fail(6, .interrupted("cut within an event"))
                    told.yield(bytes.dropFirst(place))
                }
                told.finish()
            } catch { told.finish(throwing: TransportError.interrupted("cut")) }
        }
        let number = begin {
            task.cancel()
            told.finish(throwing: TransportError.interrupted("cut"))
        }
        told.onTermination = { [self] _ in
            task.cancel()
            end(number)
        }
        stream.body = pieces
        return stream
    }

    private func begin(_ end: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.count += 1
            state.running[state.count] = end
            return state.count
        }
    }

    private func end(_ number: Int) { state.withLock { $0.running[number] = nil } }
}
