import Foundation
import SyncTransport
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that is under way, for the one who reads its response. It is cancelled when it is dropped.
final class Exchange: Sendable {
    private let task: URLSessionDataTask
    private let buffer: ResponseBuffer

    init(_ task: URLSessionDataTask, _ buffer: ResponseBuffer) {
        self.task = task
        self.buffer = buffer
    }

    deinit { task.cancel() }

    /// Returns as soon as the head of the response is there.
    func head() async throws -> ResponseHead { try await buffer.wait { try $0.takeHead() } }

    /// What has come of the body since the last call; nil at its end. Waits if nothing has.
    func next() async throws -> Data? {
        let bytes = try await buffer.wait { try $0.takeBytes() }
        return bytes.isEmpty ? nil : bytes
    }

    /// The body, when it is complete.
    func wholeBody() async throws -> Data { try await buffer.wait { try $0.takeWhole() } }
}

/// The body of a response, as it comes.
struct ExchangeBody: AsyncSequence, Sendable {
    let exchange: Exchange

    func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

    struct Iterator: AsyncIteratorProtocol {
        let exchange: Exchange

        func next() async throws -> Data? { try await exchange.next() }
    }
}

/// The status and the headers of a response.
struct ResponseHead: Sendable {
    let status: Int
    let headers: [String: String]

    init(_ response: HTTPURLResponse) {
        status = response.statusCode
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { ($0, "\(value)") }
        }
        headers = Dictionary(fields) { first, _ in first }
    }
}

/// What has come of one response, between the session, which writes it, and the one reader.
final class ResponseBuffer: Sendable {
    /// How the body is read, and how many bytes it may have.
    enum Kind {
        /// All of it at its end.
        case whole(limit: Int)
        /// As it comes; the limit is for what the reader has not taken.
        case stream(limit: Int)
    }

    struct State {
        fileprivate var head: ResponseHead?
        fileprivate var bytes = Data()
        /// Set once.
        fileprivate var end: Result<Void, any Error>?
    }

    private let kind: Kind
    private let state = Mutex(State())
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init(_ kind: Kind) {
        self.kind = kind
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Waits until `take` returns a value.
    func wait<Value>(_ take: (inout State) throws -> Value?) async throws -> Value {
        while true {
            if let value = try state.withLock({ try take(&$0) }) { return value }
            var next = changes.makeAsyncIterator()
            guard await next.next() != nil else { throw CancellationError() }
        }
    }

    func begin(_ head: ResponseHead) { update { $0.head = head } }

    /// Returns false when the body is too large: nothing else of it is wanted.
    func append(_ bytes: Data) -> Bool {
        update { state in
            guard state.end == nil else { return }
            state.bytes += bytes
            guard let error = excess(state.bytes.count) else { return }
            state.bytes = Data()
            state.end = .failure(error)
        }
        return state.withLock { $0.end == nil }
    }

    /// The first end counts.
    func finish(_ error: (any Error)?) {
        update { $0.end = $0.end ?? error.map { .failure($0) } ?? .success(()) }
    }

    private func update(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        change.yield()
    }

    private func excess(_ count: Int) -> TransportError? {
        switch kind {
        case .whole(let limit) where count > limit: .bodyTooLarge(limit: limit)
        case .stream(let limit) where count > limit: .interrupted("more came than was read")
        default: nil
        }
    }
}

extension ResponseBuffer.State {
    /// Nil means: not yet.
    fileprivate func takeHead() throws -> ResponseHead? {
        if let head { return head }
        guard let end else { return nil }
        try end.get()
        throw TransportError.notHTTP
    }

    /// What has come; empty at the end.
    fileprivate mutating func takeBytes() throws -> Data? {
        if bytes.isEmpty {
            try end?.get()
            return end.map { _ in Data() }
        }
        defer { bytes = Data() }
        return bytes
    }

    fileprivate func takeWhole() throws -> Data? {
        try end?.get()
        return end.map { _ in bytes }
    }
}
