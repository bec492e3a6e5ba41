import SyncClientCore
import SyncProtocol

/// Listens to one event stream, with limits on the time.
final class EventEar: Sendable {
    enum Sign: Sendable {
        /// The head of the answer.
        case opened(TransportResponse?)
        case event(ServerSentEvent)
        case ended(TransportError)
        /// The limit has passed.
        case timeUp(Int)
    }

    private let signs: AsyncStream<Sign>
    private let queue: AsyncStream<Sign>.Continuation
    private let task: Task<Void, Never>

    /// Opens the stream. The first sign is `opened`, with the refusal if there is one, or `ended`.
    init(_ client: ServerClient) {
        let (signs, queue) = AsyncStream<Sign>.makeStream()
        self.signs = signs
        self.queue = queue
        var request = client.request(.get, "/events/")
        request.headers["Accept"] = "text/event-stream"
        task = Task { [request] in
            do {
                guard let stream = try await client.transport.open(request) else { return }
                guard stream.isOfEvents else {
                    return _ = queue.yield(.opened(try await stream.collected(upTo: 1 << 16)))
                }
                queue.yield(.opened(nil))
                var parser = EventParser()
                for try await bytes in stream.body {
                    for event in try parser.read(bytes) { queue.yield(.event(event)) }
                }
                queue.yield(.ended(.interrupted("the server closed it")))
            } catch {
                queue.yield(.ended(error as? TransportError ?? .interrupted("the stream was cut")))
            }
        }
    }

    deinit { task.cancel() }

    /// Closes the stream.
    func close() async {
        task.cancel()
        await task.value
    }

    /// The next sign for which `isMeant` holds; nil if none comes within the time. The end of the stream always counts.
    func next(within limit: Duration, _ isMeant: (Sign) -> Bool) async throws -> Sign? {
        let number = Int.random(in: .min ... .max)
        let timer = Task { [queue] in
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            queue.yield(.timeUp(number))
        }
        defer { timer.cancel() }
        for await sign in signs {
            switch sign {
            case .timeUp(number): return nil
            case .timeUp: continue
            case .ended: return sign
            default: if isMeant(sign) { return sign }
            }
        }
        throw CancellationError()
    }

    /// Forgets what comes within the time.
    func drain(_ time: Duration) async throws { _ = try await next(within: time) { _ in false } }
}
