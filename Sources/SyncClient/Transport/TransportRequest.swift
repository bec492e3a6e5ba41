public import Foundation

/// An HTTP request, as a value.
public struct TransportRequest: Sendable, Equatable {
    /// The HTTP methods that the client uses.
    public enum Method: String, Sendable {
        /// Reads; safe to repeat.
        case get = "GET"
        /// Uploads a batch.
        case post = "POST"
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
}
