import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SyncTransport

extension TransportError {
    /// Translates what the libraries throw. `hasAnswerBegun` says whether the head of the response had arrived.
    init(_ error: any Error, bodyLimit: Int, hasAnswerBegun: Bool) {
        switch error {
        case let error as TransportError: self = error
        case is NIOTooManyBytesError, NIOHTTPDecompression.DecompressionError.limit:
            self = .bodyTooLarge(limit: bodyLimit)
        case is NIOHTTPDecompression.DecompressionError: self = .notInflated
        case let error as HTTPClientError: self = TransportError(error, hasAnswerBegun)
        case let error as NIOConnectionError: self = TransportError(error)
        case let error as IOError: self = TransportError(error)
        case HTTPParserError.invalidEOFState: self = .cut
        case is HTTPParserError: self = .notHTTP
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = TransportError(tls: error)
        default: self = .cut
        }
    }

    private init(_ error: HTTPClientError, _ hasAnswerBegun: Bool) {
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme: self = .invalidURL("")
        case .connectTimeout, .getConnectionFromPoolTimeout:
            self = .unreachable("it did not accept a connection in time")
        case .tlsHandshakeTimeout: self = .unreachable("the TLS handshake did not finish in time")
        case .readTimeout, .writeTimeout, .deadlineExceeded: self = .timeout
        case .remoteConnectionClosed where !hasAnswerBegun: self = .noAnswer
        default: self = .cut
        }
    }

    // MARK: Sockets

    private init(_ error: NIOConnectionError) {
        guard let first = error.connectionErrors.first else {
            self = .unknownHost(error.host)
            return
        }
        self = (first.error as? IOError).map(Self.connecting) ?? .unreachable("it did not accept a connection in time")
    }

    private init(_ error: IOError) {
        switch error.errnoCode {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL: self = Self.connecting(error)
        default: self = .interrupted(Self.reason(error))
        }
    }

    /// The error of a connection that was never made.
    private static func connecting(_ error: IOError) -> TransportError {
        switch error.errnoCode {
        case ECONNREFUSED: .refused
        case EHOSTUNREACH, ENETUNREACH: .noRoute
        case EADDRNOTAVAIL: .unreachable("this machine has no address to connect from")
        default: .unreachable(reason(error))
        }
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
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
        case NIOSSLError.uncleanShutdown: self = .cut
        default: self = .noCommonTLS
        }
    }
}
