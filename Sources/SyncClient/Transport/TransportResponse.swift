public import Foundation

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
