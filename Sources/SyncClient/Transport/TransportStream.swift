public import Foundation

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
