import HTTPTypes
import Hummingbird
import SyncProtocol

extension HTTPRequest.Method {
    /// HTTP's own methods. The router can't match any other method, so a made-up method gets 404.
    static let all = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"]
        .compactMap(HTTPRequest.Method.init(rawValue:))
}

/// Endpoints and their handlers, for one type of context. Each path with `GET` also takes
/// `HEAD` (RFC 9110 section 9.3.2). Every other method gets 405 with `Allow` (section 15.5.6).
struct Routes<Context: RequestContext> {
    typealias Handler = @Sendable (Request, Context) async throws -> Response

    private(set) var endpoints: [Endpoint] = []
    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    private let bodies: BodyBudget
    private let holder: @Sendable (Context) -> BodyBudget.Holder

    /// Every body that a handler reads is taken from `bodies`. `holder` says whose it is.
    init(_ bodies: BodyBudget, heldBy holder: @escaping @Sendable (Context) -> BodyBudget.Holder) {
        self.bodies = bodies
        self.holder = holder
    }

    /// Makes `handler` answer the endpoint. It is called only if the client accepts
    /// a media type of the endpoint and sends no unknown query parameter to a list.
    mutating func on(_ endpoint: Endpoint, _ handler: @escaping Handler) {
        endpoints.append(endpoint)
        let mediaTypes = endpoint.answersFiles || endpoint.mayAnswerNothing ? [] : endpoint.mediaTypes
        let parameters = endpoint.onlyParameters
        let handler = endpoint.method == .get || endpoint.takesBytes ? handler : metered(handler)
        for path in [endpoint.path] + endpoint.otherPaths {
            handlers[path, default: [:]][endpoint.method] = { request, context in
                try request.requireAcceptance(ofAny: mediaTypes)
                if let parameters { try Query(request).refuseOthers(than: parameters) }
                return try await handler(request, context)
            }
        }
    }

    /// The handler, for requests whose bodies are metered until it is done, however it ends.
    private func metered(_ handler: @escaping Handler) -> Handler {
        { [bodies, holder] request, context in
            let lease = BodyBudget.Lease(bodies, for: holder(context))
            defer { lease.end() }
            return try await handler(request.metered(by: lease), context)
        }
    }

    /// Adds all endpoints to a group. Each path matches with and without a slash at its end.
    func register(in group: RouterGroup<Context>) {
        for (path, handlers) in handlers { register(path, handlers, in: group) }
    }

    private func register(_ path: String, _ handlers: [HTTPRequest.Method: Handler], in group: RouterGroup<Context>) {
        var handlers = handlers
        if let get = handlers[.get] { handlers[.head] = get }
        let allowed = handlers.keys.map(\.rawValue).sorted().joined(separator: ", ")
        // Taken apart once, not once a method: a server has a hundred paths, and ten methods for each.
        let path = RouterPath(path)
        for method in HTTPRequest.Method.all {
            if let handler = handlers[method] {
                group.on(path, method: method, use: handler)
            } else {
                group.on(path, method: method) { request, _ in Routes.refuse(request, allowed) }
            }
        }
    }

    private static func refuse(_ request: Request, _ allowed: String) -> Response {
        var reply = Reply(
            Problem(.methodNotAllowed, "\(request.method.rawValue) is not allowed here, only \(allowed)."))
        reply.headers[.allow] = allowed
        return reply.response(to: request)
    }
}
