public import Foundation

/// Sends one request to the server and returns its response. The rest of the library does no networking. Conform to
/// this for tests or for another HTTP stack.
public protocol Transport: Sendable {
    /// Returns the complete, decompressed response, whatever its status.
    ///
    /// Must not follow redirects or retry. Throws `TransportError` when no complete response arrives within
    /// `request.timeout`, and `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends the request, and returns as soon as the head of the response is there. Returns nil if this transport can't
    /// stream; the client then uses waiting pulls. The default does that.
    ///
    /// Ignores `request.timeout`: the caller cancels the task instead. Must not follow redirects or retry.
    func open(_ request: TransportRequest) async throws -> TransportStream?
}

extension Transport {
    public func open(_ request: TransportRequest) async throws -> TransportStream? { nil }
}

/// An HTTP request, as a value.
public struct TransportRequest: Sendable, Equatable {
    /// The HTTP methods that the client uses.
    public enum Method: String, Sendable {
        /// Reads; safe to repeat.
        case get = "GET"
        /// Reads the headers alone.
        case head = "HEAD"
        /// Uploads a batch.
        case post = "POST"
        /// Sends a file.
        case put = "PUT"
        /// Changes a row. Only `tidemark doctor` uses it.
        case patch = "PATCH"
        /// Deletes a row. Only `tidemark doctor` uses it.
        case delete = "DELETE"
    }

    /// The HTTP method.
    public var method: Method
    /// The absolute URL, with its query.
    public var url: String
    /// The headers. Names may be in any case.
    public var headers: [String: String]
    /// The body; empty for `get`.
    public var body: Data
    /// The time limit for everything together: connecting, sending, waiting, and reading the response body.
    public var timeout: Duration
    /// For how long the server may hold the response back on purpose. It is part of `timeout`.
    public var hold: Duration = .zero

    /// Makes a request.
    public init(
        method: Method = .get, url: String, headers: [String: String] = [:], body: Data = Data(), timeout: Duration
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// The URL, if it is an absolute one of HTTP. Throws `TransportError.invalidURL`.
    package func checkedURL() throws -> URL {
        guard let parsed = URL(string: url), ["http", "https"].contains(parsed.scheme?.lowercased()),
            parsed.host()?.isEmpty == false
        else { throw TransportError.invalidURL(url) }
        return parsed
    }
}

/// A complete HTTP response.
public struct TransportResponse: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The headers, by lower-case name.
    public var headers: [String: String]
    /// The body, decompressed.
    public var body: Data

    /// Makes a response. Header names may be in any case; of several with the same name, one is kept.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
        self.body = body
    }
}

/// A response whose body is read as it comes.
public struct TransportStream: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The headers, by lower-case name.
    public var headers: [String: String]
    /// The pieces of the body. It ends, or throws, with the connection. Who stops reading closes the connection.
    public var body: any AsyncSequence<Data, any Error> & Sendable

    /// Makes a response. Header names may be in any case; of several with the same name, one is kept.
    public init(
        status: Int, headers: [String: String] = [:], body: any AsyncSequence<Data, any Error> & Sendable
    ) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
        self.body = body
    }

    /// Makes a response whose body's errors are told as `translate` says.
    package init(
        status: Int, headers: [String: String], body: some AsyncSequence<Data, any Error> & Sendable,
        translate: @escaping @Sendable (any Error) -> any Error
    ) {
        self.init(status: status, headers: headers, body: TranslatedBody(base: body, translate: translate))
    }

    /// The whole response, if its body has at most `limit` bytes; otherwise with as much of it.
    package func collected(upTo limit: Int) async throws -> TransportResponse {
        var bytes = Data()
        for try await piece in body {
            bytes += piece
            if bytes.count >= limit { break }
        }
        return TransportResponse(status: status, headers: headers, body: bytes.prefix(limit))
    }
}

/// A body whose errors are told as those of a transport.
private struct TranslatedBody<Base: AsyncSequence<Data, any Error> & Sendable>: AsyncSequence, Sendable {
    let base: Base
    let translate: @Sendable (any Error) -> any Error

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), translate: translate) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator
        fileprivate let translate: @Sendable (any Error) -> any Error

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            do { return try await base.next(isolation: actor) } catch { throw translate(error) }
        }
    }
}
