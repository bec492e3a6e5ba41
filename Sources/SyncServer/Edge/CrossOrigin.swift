import HTTPTypes
import Hummingbird
import SyncStore

/// Lets the pages of some other origins call the API from a browser: https://fetch.spec.whatwg.org/#http-cors-protocol
///
/// It stands in front of everything that refuses, since a page can't read an answer without these headers, whatever its
/// status. Tokens travel in `Authorization`, which a page sets by itself: cookies are neither taken nor allowed, so
/// that `Access-Control-Allow-Credentials` is never said.
///
/// Hummingbird's `CORSMiddleware` is not used: it names the exposed headers to preflights alone, where browsers do not
/// look for them, takes every OPTIONS for a preflight, and leaves `Vary` out where a request has no `Origin`.
struct CrossOrigin: RouterMiddleware {
    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .patch, .delete]
    /// What a page may send beyond what every page may.
    static let requestHeaders = [
        "Authorization", "Content-Type", "If-Match", "If-None-Match", "X-Base-Version", "Idempotency-Key",
        "X-Request-Id",
    ]
    /// What a page may read beyond what every page may.
    static let answerHeaders = [
        "ETag", "Location", "Retry-After", "Tidemark-Head", "Idempotent-Replayed", "WWW-Authenticate", "X-Request-Id",
    ]
    /// How long a browser remembers a preflight's answer, in seconds: as long as Chromium does at most.
    static let maximumAge = 7200

    let origins: Origins

    private let allowed = CrossOrigin.methods.map(\.rawValue).joined(separator: ", ")
    private let readable = CrossOrigin.answerHeaders.joined(separator: ", ")
    private let sendable = CrossOrigin.requestHeaders.joined(separator: ", ")

    init(origins: Origins) { self.origins = origins }

    /// An origin that is not allowed is answered as if nobody had asked across origins: its browser keeps the answer to
    /// itself.
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
    /// Adds a header by which answers at the same address differ.
    mutating func vary(by name: String) {
        self[.vary] = self[.vary].map { "\($0), \(name)" } ?? name
    }
}
