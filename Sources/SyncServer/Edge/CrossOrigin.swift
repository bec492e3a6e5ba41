import HTTPTypes
import Hummingbird
import SyncStore

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
    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]
    /// Headers that a page may send in addition to those that every page may send.
    static let requestHeaders = [
        "Authorization", "Content-Type", "If-Match", "If-None-Match", "X-Base-Version", "Idempotency-Key",
        "X-Request-Id", "Tidemark-Device-Id", "Tidemark-Device-Name", "Tidemark-App-Version", "Tidemark-Digest",
        "Last-Event-ID",
    ]
    /// Headers that a page may read in addition to those that every page may read.
    static let answerHeaders = [
        "ETag", "Location", "Retry-After", "Tidemark-Head", "Idempotent-Replayed", "WWW-Authenticate", "X-Request-Id",
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
