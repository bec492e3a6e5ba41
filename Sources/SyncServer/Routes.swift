import HTTPTypes
import Hummingbird
import SyncProtocol

/// Adds routes by path: `HEAD` goes with `GET` (RFC 9110 section 9.3.2), every other method of a path answers 405 with
/// `Allow` (section 15.5.6).
struct Routes<Context: RequestContext> {
    typealias Handler = @Sendable (Request, Context) async throws -> Response

    private static var methods: [HTTPRequest.Method] { [.get, .head, .post, .put, .patch, .delete, .options] }
    private let group: RouterGroup<Context>

    init(_ group: RouterGroup<Context>) { self.group = group }

    func route(_ path: RouterPath, _ handlers: [HTTPRequest.Method: Handler]) {
        var handlers = handlers
        handlers[.head] = handlers[.get]
        let allowed = handlers.keys.map(\.rawValue).sorted().joined(separator: ", ")
        for method in Routes.methods {
            if let handler = handlers[method] {
                group.on(path, method: method, use: handler)
            } else {
                group.on(path, method: method) { request, _ in Routes.refuse(request, allowed) }
            }
        }
    }

    private static func refuse(_ request: Request, _ allowed: String) -> Response {
        var reply = Reply(Problem(.methodNotAllowed, "\(request.method.rawValue) is not served here, only \(allowed)."))
        reply.headers[.allow] = allowed
        return reply.response(to: request)
    }
}
