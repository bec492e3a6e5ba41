import Foundation
import SyncTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportError {
    /// Translates what `URLSession` reports. `hasAnswerBegun` says whether the head of the response had arrived.
    init(_ error: any Error, of url: String, hasAnswerBegun: Bool) {
        switch error {
        case let error as TransportError: self = error
        case let error as URLError:
            self =
                Self.network(error.code, of: url) ?? Self.answer(error.code, hasAnswerBegun)
                ?? Self.trust(error.code) ?? Self.fromCurl(error.localizedDescription) ?? .cut
        default: self = .cut
        }
    }

    private static func network(_ code: URLError.Code, of url: String) -> TransportError? {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: .unknownHost(URL(string: url)?.host() ?? url)
        case .cannotConnectToHost: .refused
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            .offline
        case .appTransportSecurityRequiresSecureConnection:
            .unreachable("this app is allowed no connection without TLS. Use `https://`")
        case .timedOut: .timeout
        case .badURL: .invalidURL(url)
        default: nil
        }
    }

    private static func answer(_ code: URLError.Code, _ hasAnswerBegun: Bool) -> TransportError? {
        switch code {
        case .networkConnectionLost, .badServerResponse: hasAnswerBegun ? .cut : .noAnswer
        // Linux says so of a status line that is none.
        case .cannotParseResponse, .unsupportedURL: .notHTTP
        case .cannotDecodeRawData, .cannotDecodeContentData: .notInflated
        default: nil
        }
    }

    private static func trust(_ code: URLError.Code) -> TransportError? {
        switch code {
        case .serverCertificateHasBadDate: .untrusted(.expired(on: ""))
        case .serverCertificateNotYetValid: .untrusted(.notYetValid(until: ""))
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: .untrusted(.unknownIssuer)
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired: .noCommonTLS
        default: nil
        }
    }

    /// On Linux most errors have no code of their own, but the text of libcurl or of the TLS library below it.
    /// The first that fits counts.
    private static let curl: [(part: String, error: TransportError)] = [
        ("wrong version number", .noTLS), ("packet length", .noTLS),
        ("certificate has expired", .untrusted(.expired(on: ""))),
        ("certificate is not yet valid", .untrusted(.notYetValid(until: ""))),
        ("subject name", .untrusted(.otherName([]))),
        ("certificate verify locations", .untrusted(.noAuthorities)),
        ("error setting certificate", .untrusted(.noAuthorities)),
        ("SSL certificate", .untrusted(.unknownIssuer)),
        ("content unencoding", .notInflated), ("content encoding", .notInflated),
        ("HTTP/0.9", .notHTTP), ("response code", .notHTTP), ("Header without colon", .notHTTP),
        ("writing header", .notHTTP), ("Content-Length", .notHTTP),
        ("transfer closed", .cut), ("connect to", .noRoute), ("connect fail", .noRoute),
        ("SSL", .noCommonTLS), ("TLS", .noCommonTLS),
    ]

    private static func fromCurl(_ text: String) -> TransportError? {
        curl.first { text.contains($0.part) }?.error
    }
}
