public import Foundation

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
