import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncStore

/// Web origins (RFC 6454 section 6.2) whose pages may call the API from a browser. An
/// origin is a scheme, a host, and a port unless it is the scheme's default. It must
/// be written as browsers send it in `Origin`, because it is compared byte for byte.
package struct Origins: Sendable, Equatable {
    private var texts: Set<ExactText> = []

    /// No other origin is allowed.
    package static let none = Origins()

    private init() {}

    /// Reads a list that is separated by commas. The empty text is `none`. Throws an `OriginError`.
    package init(_ list: String) throws {
        guard !list.isEmpty else { return }
        for entry in list.split(separator: ",", omittingEmptySubsequences: false) {
            texts.insert(ExactText(try Origins.checked(entry.trimming(while: \.isWhitespace))))
        }
    }

    package var isEmpty: Bool { texts.isEmpty }

    func contains(_ origin: String) -> Bool { texts.contains(ExactText(origin)) }

    private static func checked(_ entry: Substring) throws -> String {
        switch entry {
        case "": throw OriginError("an entry is empty. Put one comma between two origins, and none at the end")
        case "*":
            throw OriginError(
                "* would allow the pages of every site. Name each origin, for example https://app.example.org")
        case "null":
            throw OriginError(
                "null is what every page without an origin sends. Serve the app from an address of its own")
        default: break
        }
        guard let origin = WrittenOrigin(entry) else {
            throw OriginError(
                "\(entry) is not an origin. Write scheme://host or scheme://host:port, for example "
                    + "https://app.example.org")
        }
        guard origin.normal == entry else {
            throw OriginError("\(entry) is not what browsers send. Write \(origin.normal)")
        }
        return origin.normal
    }
}

/// An address that somebody wrote as an origin. It may be too long,
/// for example with a path; its origin can then be suggested.
private struct WrittenOrigin {
    /// The origin as browsers send it.
    let normal: String

    private static let ports = ["http": "80", "https": "443"]

    init?(_ text: Substring) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
        guard scheme.utf8.first?.isASCIIAlphanumeric == true, scheme.utf8.allSatisfy(WrittenOrigin.isOfScheme),
            let (host, port) = WrittenOrigin.parts(authority)
        else { return nil }
        let shown = port.isEmpty || port == WrittenOrigin.ports[scheme] ? "" : ":\(port)"
        normal = "\(scheme)://\(host)\(shown)"
    }

    /// Host and port; nil if the text holds anything else. The port is empty if there is none.
    private static func parts(_ authority: String) -> (host: String, port: String)? {
        var host = authority
        var port = ""
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            host = String(authority[..<colon])
            port = String(authority[authority.index(after: colon)...])
            guard let number = UInt16(port), number > 0, String(number) == port else { return nil }
        }
        let name = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
        let marks = name.count < host.count ? ":." : "-._"
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || marks.utf8.contains($0) }) else {
            return nil
        }
        return (host, port)
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "+-.".utf8.contains(byte) }
}

/// Why an entry of the origins can't be used, and what to do about it.
package struct OriginError: Error, CustomStringConvertible {
    package let description: String

    init(_ text: String) { description = "TIDEMARK_HTTP_ORIGINS (http.origins): \(text)." }
}

/// Lets pages of the configured origins call the API from a browser: https://fetch.spec.whatwg.org/#http-cors-protocol
///
/// This middleware comes before everything that can refuse a request, because a page can't read an answer
/// without these headers, whatever its status. Tokens travel in `Authorization`, which a page sets
/// itself. Cookies are neither read nor allowed, so `Access-Control-Allow-Credentials` is never sent.
///
/// Hummingbird's `CORSMiddleware` is not used. It sends the exposed headers only with preflights, where browsers
/// do not look for them. It treats every OPTIONS as a preflight. It omits `Vary` if a request has no `Origin`.
struct CrossOrigin: RouterMiddleware {
    /// The methods that a page may use.
    static let methods: [HTTPRequest.Method] = [.get, .head, .options, .post, .put, .patch, .delete]
    /// Headers that a page may send in addition to those that every page may send.
    static let requestHeaders = [
        "Authorization", "Content-Type", "If-Match", "If-None-Match", "X-Base-Version", "Idempotency-Key",
        "X-Request-Id", "Tidemark-Device-Id", "Tidemark-Device-Name", "Tidemark-App-Version", "Tidemark-Digest",
        "Last-Event-ID", "If-Range", "Range", "Repr-Digest", "Upload-Complete", "Upload-Length", "Upload-Offset",
        "Upload-Metadata", "Tus-Resumable", "Upload-Draft-Interop-Version",
    ]
    /// Headers that a page may read in addition to those that every page may read.
    static let answerHeaders = [
        "Accept-Ranges", "Content-Range", "Date", "ETag", "Location", "Retry-After", "Tidemark-Head",
        "Idempotent-Replayed", "WWW-Authenticate",
        "Repr-Digest", "Upload-Complete", "Upload-Length", "Upload-Limit", "Upload-Offset", "X-Request-Id",
        "Tus-Resumable", "Tus-Version", "Tus-Extension", "Tus-Max-Size",
    ]
    /// How long a browser remembers a preflight's answer, in seconds. This is the longest that Chromium allows.
    static let maximumAge = 7200

    let origins: Origins

    private let allowed = CrossOrigin.methods.map(\.rawValue).joined(separator: ", ")
    private let readable = CrossOrigin.answerHeaders.joined(separator: ", ")
    private let sendable = CrossOrigin.requestHeaders.joined(separator: ", ")

    init(origins: Origins) { self.origins = origins }

    /// A request from an origin that is not allowed is answered without
    /// these headers. Its browser does not show the answer to the page.
    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let origin = request.headers[.origin].flatMap { origins.contains($0) ? $0 : nil }
        var response =
            origin != nil && request.isPreflight ? preflight() : try await next(request, context)
        response.headers.vary(by: "Origin")
        guard let origin else { return response }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = readable
        return response
    }

    private func preflight() -> Response {
        Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: allowed, .accessControlAllowHeaders: sendable,
                .accessControlMaxAge: String(CrossOrigin.maximumAge), .cacheControl: "no-store",
            ])
    }
}

extension Request {
    fileprivate var isPreflight: Bool { method == .options && headers[.accessControlRequestMethod] != nil }
}

extension HTTPFields {
    /// Adds a request header on which answers at the same address depend.
    mutating func vary(by name: String) {
        self[.vary] = self[.vary].map { "\($0), \(name)" } ?? name
    }
}
