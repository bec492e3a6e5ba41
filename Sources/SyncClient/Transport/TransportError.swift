import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

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

extension TransportError {
    /// Translates what the libraries throw. `hasAnswerBegun` says whether the head of the response had arrived.
    init(_ error: any Error, bodyLimit: Int, hasAnswerBegun: Bool) {
        switch error {
        case let error as TransportError: self = error
        case is NIOTooManyBytesError, NIOHTTPDecompression.DecompressionError.limit:
            self = .bodyTooLarge(limit: bodyLimit)
        case is NIOHTTPDecompression.DecompressionError: self = .interrupted("the answer can't be decompressed")
        case let error as HTTPClientError: self = TransportError(error, hasAnswerBegun)
        case let error as NIOConnectionError: self = .unreachable(Self.reason(error))
        case let error as IOError: self = TransportError(error)
        case HTTPParserError.invalidEOFState: self = .interrupted("the answer was cut")
        case is HTTPParserError: self = .interrupted("the response is not HTTP")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = TransportError(tls: error)
        default: self = .interrupted("the answer was cut")
        }
    }

    private init(_ error: HTTPClientError, _ hasAnswerBegun: Bool) {
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme: self = .invalidURL("")
        case .connectTimeout, .getConnectionFromPoolTimeout:
            self = .unreachable("it did not accept a connection in time")
        case .tlsHandshakeTimeout: self = .unreachable("the TLS handshake did not finish in time")
        case .readTimeout, .writeTimeout, .deadlineExceeded: self = .timeout
        case .remoteConnectionClosed where !hasAnswerBegun:
            self = .interrupted("the server closed it without an answer. If it speaks HTTPS, use `https://`")
        default: self = .interrupted("the answer was cut")
        }
    }

    // MARK: Sockets

    /// The errors of `connect(2)`. All others come from a connection that was open.
    private static let connecting: Set = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL]

    private init(_ error: IOError) {
        let reason = Self.reason(error)
        self = Self.connecting.contains(error.errnoCode) ? .unreachable(reason) : .interrupted(reason)
    }

    private static func reason(_ error: NIOConnectionError) -> String {
        guard let first = error.connectionErrors.first else { return "no host named \(error.host) was found" }
        return (first.error as? IOError).map(reason) ?? "it did not accept a connection in time"
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "the connection was refused"
        case EHOSTUNREACH, ENETUNREACH: "there is no route to it from this network"
        case EADDRNOTAVAIL: "this machine has no address to connect from"
        case ECONNRESET, EPIPE: "the server closed it"
        case ETIMEDOUT: "nothing came back"
        case EMFILE, ENFILE: "too many files are open"
        default: "the network failed (error \(error.errnoCode))"
        }
    }

    // MARK: TLS

    private static let naming: [NIOSSLExtraError] = [.failedToValidateHostname, .serverHostnameImpossibleToMatch]

    /// BoringSSL's errors differ only in their text.
    private init(tls error: any Error) {
        let text = "\(error)"
        switch error {
        case let error as NIOSSLExtraError where Self.naming.contains(error): self = .untrusted(.otherName([]))
        case NIOSSLError.handshakeFailed where text.contains("CERTIFICATE_VERIFY_FAILED"):
            self = .untrusted(.unknownIssuer)
        case NIOSSLError.handshakeFailed where text.contains("WRONG_VERSION_NUMBER"): self = .noTLS
        case is BoringSSLError: self = .untrusted(.noAuthorities)
        case NIOSSLError.uncleanShutdown: self = .interrupted("the answer was cut")
        default: self = .interrupted("the server and this client could not agree on TLS")
        }
    }
}
