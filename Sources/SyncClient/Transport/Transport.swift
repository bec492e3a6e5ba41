public import Foundation

/// Carries one request to the server and its answer back. The rest of the library knows no network: tests and other
/// HTTP stacks conform to this.
public protocol Transport: Sendable {
    /// The answer, complete and decompressed, whatever its status.
    ///
    /// Does not follow redirects and does not retry. Throws `TransportError` when there is no complete answer within
    /// `request.timeout`, and `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request, as a value.
public struct TransportRequest: Sendable, Equatable {
    /// The verbs that the client uses.
    public enum Method: String, Sendable {
        /// Reads; safe to repeat.
        case get = "GET"
        /// Uploads.
        case post = "POST"
    }

    /// The verb.
    public var method: Method
    /// Absolute, with its query.
    public var url: String
    /// The headers; their names in any case.
    public var headers: [String: String]
    /// Empty for `get`.
    public var body: Data
    /// For everything together: connecting, sending, waiting, and reading the answer's body.
    public var timeout: Duration

    /// A request; without `body`, it has none.
    public init(
        method: Method = .get, url: String, headers: [String: String] = [:], body: Data = Data(), timeout: Duration
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// A complete answer.
public struct TransportResponse: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// By name in lower case.
    public var headers: [String: String]
    /// Decompressed.
    public var body: Data

    /// Header names are taken in any case; of equal ones any one is kept.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
        self.body = body
    }
}
