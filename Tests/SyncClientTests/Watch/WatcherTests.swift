import Foundation
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// A watch with a scripted server. No time passes, unless a test says so.
@Suite(.timeLimit(.minutes(10))) struct WatcherTests {
    private let scratch: Scratch
    private let server = FakeServer()
    private let clock = SteppedClock()

    init() throws { scratch = try Scratch() }

    /// What the callbacks were told.
    private enum News: Sendable, Equatable {
        case state(WatchState)
        case round(rows: Int, batches: Int)
    }

    /// What the callbacks are told, in order.
    private struct NewsStream: Sendable {
        let stream: AsyncStream<News>

        /// Nil after the end of the watch.
        func next() async -> News? {
            for await news in stream { return news }
            return nil
        }
    }

    /// Runs a watch while `body` goes on. Returns what the watch threw.
    @discardableResult
    private func watching(
        _ transport: ScriptedTransport, renewing: (@Sendable () async throws -> String?)? = nil,
        _ body: (Replica, NewsStream) async throws -> Void
    ) async throws -> any Error {
        let replica = try scratch.replica()
        let syncer = try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport, replica: replica,
            environment: clock.environment())
        let (stream, told) = AsyncStream<News>.makeStream()
        let task = Task { () async -> any Error in
            do {
                try await syncer.watch(
                    renewing: renewing, onState: { told.yield(.state($0)) },
                    onRound: {
                        told.yield(.round(rows: $0.pulled?.rows ?? 0, batches: $0.pushed?.batches ?? 0))
                    })
            } catch {
                told.finish()
                return error
            }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(replica, NewsStream(stream: stream))) } catch { result = .failure(error) }
        task.cancel()
        let error = await task.value
        try result.get()
        return error
    }

    @Test func aPokeIsPulledAndNothingElseIs() async throws {
        let (server, transport) = (server, ScriptedTransport(server))
        let error = try await watching(transport) { replica, news in
            #expect(await news.next() == .round(rows: 0, batches: 0))
            let stream = try await transport.stream()
            #expect(stream.request.url == "http://server/api/v1/events/?projects=p")
            #expect(stream.request.headers["Last-Event-ID"] == nil)
            stream.hello()
            #expect(await news.next() == .state(.events))
            #expect(await news.next() == .round(rows: 0, batches: 0))
            server.change { $0.put("tasks", "a", ["name": "A"]) }
            stream.send("id: 8\nevent: po")
            stream.send("ke\ndata: {\"p\": 8}\n\n")
            #expect(await news.next() == .round(rows: 1, batches: 0))
            #expect(try replica.row("a")?["name"] == "A")
        }
        #expect(error is CancellationError && transport.pulls.count == 3)
    }

    @Test func aStreamThatIsCutIsOpenedAgainAfterTheLastEvent() async throws {
        let transport = ScriptedTransport(server)
        try await watching(transport) { _, news in
            _ = await news.next()
            let stream = try await transport.stream()
            stream.hello()
            stream.send("id: 4503599627370500\nevent: ping\ndata: {}\n\n")
            _ = await news.next()
            _ = await news.next()
            stream.send("event: bye\ndata: {\"reason\": \"restart\", \"retry_ms\": 3000}\n\n")
            await clock.move(to: .seconds(3))
            let again = try await transport.stream()
            #expect(again.request.headers["Last-Event-ID"] == "4503599627370500")
            again.hello()
            #expect(await news.next() == .round(rows: 0, batches: 0))
        }
    }

    /// The held pull is the pull: no other follows it.
    @Test func whereEventsAreHeldBackThePullsWait() async throws {
        let (server, transport) = (server, ScriptedTransport(server))
        try await watching(transport) { replica, news in
            _ = await news.next()
            _ = try await transport.stream()
            await clock.move(to: .seconds(5))
            #expect(await news.next() == .state(.waitingPulls(.heldBack)))
            while transport.pulls.count < 2 { await Task.yield() }
            server.change { $0.put("tasks", "a", ["name": "A"]) }
            transport.release()
            #expect(await news.next() == .round(rows: 1, batches: 0))
            #expect(try replica.row("a") != nil)
            while transport.pulls.count < 3 { await Task.yield() }
            #expect(transport.pulls.map { $0.contains("&wait=25") } == [false, true, true])
        }
    }

    @Test func anEditEndsAHeldPullAndIsSent() async throws {
        let transport = ScriptedTransport(server, status: 404)
        try await watching(transport) { replica, news in
            let first = await [news.next(), news.next()]
            #expect(first.contains(.state(.waitingPulls(.unsupported))))
            while !transport.pulls.contains(where: { $0.contains("wait=") }) { await Task.yield() }
            try replica.insert(["name": "N"], into: "tasks", id: "n")
            await clock.move(to: .milliseconds(100))
            #expect(await news.next() == .round(rows: 1, batches: 1))
            #expect(server.live("tasks")["n"]?["name"] == "N")
        }
    }

    @Test func aRefusedTokenIsReplacedOnce() async throws {
        let transport = ScriptedTransport(server, token: "t2")
        let asked = Counter()
        try await watching(
            transport,
            renewing: {
                asked.next()
                return "t2"
            }
        ) { _, news in
            let stream = try await transport.stream()
            #expect(await news.next() == .round(rows: 0, batches: 0))
            stream.hello()
            #expect(await news.next() == .state(.events))
        }
        #expect(asked.count == 1)
    }

    @Test func withoutAnotherTokenARefusedOneEndsTheWatch() async throws {
        let transport = ScriptedTransport(server, token: "t2")
        let unauthorized = SyncError.refused(status: 401, code: "unauthorized", detail: "Because.")
        for renewing in [nil, { "t" }] as [(@Sendable () async throws -> String?)?] {
            let error = try await watching(transport, renewing: renewing) { _, news in
                #expect(await news.next() == nil)
            }
            #expect(error as? SyncError == unauthorized)
        }
    }
}
