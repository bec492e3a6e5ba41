/// Why a request got no complete response.
public enum TransportError: Error, Sendable, Equatable {
    /// No connection could be made. The server has not seen the request. Worth a retry.
    /// The value is a reason for a person.
    case unreachable(String)
    /// The connection broke, or the response was truncated. The server may have acted. Worth a retry.
    /// The value is a reason for a person.
    case interrupted(String)
    /// The request's timeout passed. The server may have acted. Worth a retry.
    case timeout
    /// The decompressed response body exceeds the limit, in bytes. A retry would fail the same way.
    case bodyTooLarge(limit: Int)
    /// Not a URL that the transport can use.
    case invalidURL(String)
    /// The server's certificate does not prove its identity. Nothing was sent.
    case untrusted(CertificateFault)
    /// The URL is https, but the server does not speak TLS.
    case noTLS

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch self {
        case .unreachable, .interrupted, .timeout: true
        case .bodyTooLarge, .invalidURL, .untrusted, .noTLS: false
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// A sentence or two for a person.
    public var description: String {
        switch self {
        case .unreachable(let reason): "The server can't be reached: \(reason)."
        case .interrupted(let reason): "The connection broke: \(reason)."
        case .timeout: "The server did not answer in time."
        case .bodyTooLarge(let limit): "The answer is larger than \(limit) bytes; ask for smaller pages."
        case .invalidURL(let url):
            "`\(url)` is not the address of a server. Write it like `https://tidemark.example.org`."
        case .untrusted(let fault): "The server can't be trusted: \(fault)"
        case .noTLS: "The server does not speak HTTPS at this address. Check the port, or write `http://`."
        }
    }
}
