public import Foundation

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
