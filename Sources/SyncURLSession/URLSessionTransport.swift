import Foundation
public import SyncTransport
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP with the system's `URLSession`. Connections are kept and reused. Responses may be gzipped; they are inflated up
/// to a limit. Cookies, caches and stored passwords are not used.
///
/// Trusts the authorities that the system trusts, and uses the proxies that are set on it.
/// Redirects are not followed: a token never travels to a host that the caller did not name.
public struct URLSessionTransport: Transport {
    private let connections: Connections
    private let bodyLimit: Int
    private let onSilence: @Sendable () -> Void
    /// How long a request waits for the head of its response before `onSilence` is called.
    var silence: Duration = .seconds(1)
    /// How many bytes of a stream may wait for their reader, before the connection is closed. `URLSession` can't be
    /// told to read more slowly.
    var streamLimit = 16 << 20

    /// Makes a transport. `bodyLimit` is the largest response body, in bytes after inflating; a larger one
    /// is `TransportError.bodyTooLarge`.
    ///
    /// `onSilence` is called, from any thread, when a request has waited a second and no response has begun. The
    /// request keeps waiting. The connections are closed when the last copy is dropped, and all requests have ended.
    public init(bodyLimit: Int = 64 << 20, onSilence: @escaping @Sendable () -> Void = {}) {
        connections = Connections()
        self.bodyLimit = bodyLimit
        self.onSilence = onSilence
    }

    /// Closes the connections at once. Requests in progress fail, and so do later ones.
    public func shutdown() async throws { connections.close() }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = AnswerMark()
        do {
            return try await request.inTime(answer, silence: silence, onSilence: onSilence) {
                try await response(to: request, answer)
            }
        } catch {
            throw translated(error, of: request, hasAnswerBegun: answer.hasBegun)
        }
    }

    public func open(_ request: TransportRequest) async throws -> TransportStream? {
        do {
            let exchange = try start(request, .stream(limit: streamLimit), accepting: "identity")
            let head = try await exchange.head()
            return TransportStream(
                status: head.status, headers: head.headers, body: ExchangeBody(exchange: exchange)
            ) { translated($0, of: request, hasAnswerBegun: true) }
        } catch {
            throw translated(error, of: request, hasAnswerBegun: false)
        }
    }

    private func response(to request: TransportRequest, _ answer: AnswerMark) async throws -> TransportResponse {
        let exchange = try start(request, .whole(limit: bodyLimit), accepting: "gzip")
        let head = try await exchange.head()
        answer.begin()
        return TransportResponse(status: head.status, headers: head.headers, body: try await exchange.wholeBody())
    }

    private func start(
        _ request: TransportRequest, _ kind: ResponseBuffer.Kind, accepting encoding: String
    ) throws -> Exchange {
        var outgoing = URLRequest(url: try request.checkedURL(), timeoutInterval: Connections.longest)
        outgoing.httpMethod = request.method.rawValue
        outgoing.httpShouldHandleCookies = false
        outgoing.setValue(encoding, forHTTPHeaderField: "Accept-Encoding")
        outgoing.setValue("tidemark-client", forHTTPHeaderField: "User-Agent")
        for (name, value) in request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { outgoing.httpBody = request.body }
        return try connections.start(outgoing, kind)
    }

    private func translated(
        _ error: any Error, of request: TransportRequest, hasAnswerBegun: Bool
    ) -> any Error {
        if Task.isCancelled { return CancellationError() }
        return TransportError(error, of: request.url, hasAnswerBegun: hasAnswerBegun)
    }
}

extension Transport where Self == URLSessionTransport {
    /// The transport on `URLSession` that all of an app's syncs can share.
    public static var urlSession: URLSessionTransport { .shared }
}

extension URLSessionTransport {
    fileprivate static let shared = URLSessionTransport()
}

/// A session of the system's. It is closed with its last owner.
private final class Connections: Sendable {
    /// Longer than any request. `URLSession` measures the time since the last byte; the requests have limits of their
    /// own, for everything together.
    static let longest: TimeInterval = 31_536_000

    private let session: URLSession
    private let delegate: ExchangeDelegate
    private let isOpen = Mutex(true)

    init() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        delegate = ExchangeDelegate()
        session = URLSession(configuration: Self.configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = longest
        configuration.timeoutIntervalForResource = longest
        // Each watch keeps one open, for its events.
        configuration.httpMaximumConnectionsPerHost = 16
        #if canImport(Darwin)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        return configuration
    }

    /// A session that is closed must not be given requests: that would end the process.
    func start(_ request: URLRequest, _ kind: ResponseBuffer.Kind) throws -> Exchange {
        try isOpen.withLock { isOpen in
            guard isOpen else { throw TransportError.interrupted("the transport was shut down") }
            let task = session.dataTask(with: request)
            let buffer = ResponseBuffer(kind)
            delegate.add(buffer, for: task)
            task.resume()
            return Exchange(task, buffer)
        }
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { session.invalidateAndCancel() }
            isOpen = false
        }
    }
}
