import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncProtocol

/// The outermost middleware. It counts and logs each request by its route,
/// and gives it an id: the client's own if the client sends a valid one.
///
/// It counts and logs no path, query, header or body, so the number of routes limits what it keeps.
struct RequestObserver: RouterMiddleware {
    let metrics: RequestMetrics
    let slow: SlowRequests
    /// The level at which requests are logged.
    let logLevel: Logger.Level

    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = NIODeadline.now()
        var context = context
        if let id = request.headers[.xRequestID], RequestIDRule.admits(id) { context.id = id }
        var response = try await next(request, context)
        let route = metrics.route(context)
        // A pull that waited was not slow.
        let held = response.headers[.serverTiming].flatMap(HeldTime.init)?.nanoseconds ?? 0
        let nanoseconds = max(0, (NIODeadline.now() - start).nanoseconds - held)
        route.count(request.method, response.status, nanoseconds: nanoseconds)
        slow.note(milliseconds: nanoseconds / 1_000_000) { now in
            SlowRequests.Entry(
                at: now, id: context.id, method: "\(request.method)", route: route.route, status: response.status.code,
                milliseconds: nanoseconds / 1_000_000)
        }
        context.logger.log(
            level: logLevel, "request",
            metadata: [
                "method": "\(request.method)", "route": "\(route.route)",
                "status": .stringConvertible(response.status.code),
                "milliseconds": .stringConvertible(nanoseconds / 1_000_000),
            ])
        if response.status.code >= 400 { response.headers[.xRequestID] = context.id }
        return response
    }
}

/// Which request ids of clients are used: short ones, of characters that have no special meaning in logs and headers.
enum RequestIDRule {
    private static let longest = 128

    static func admits(_ id: String) -> Bool {
        (1...longest).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
    }
}

extension ServerContext {
    /// The request's id, in the log and in refusals.
    var id: String {
        get { logger[metadataKey: ServerLog.requestID]?.description ?? "" }
        set { logger[metadataKey: ServerLog.requestID] = .string(newValue) }
    }
}

extension HTTPField.Name {
    static let xRequestID = HTTPField.Name("X-Request-Id")!
}

/// Turns every error into a problem document. An error that is the server's fault is logged here, once, with the
/// request id. Nothing internal leaves the server. No path is logged, because the ids in it are the clients' own texts.
struct ProblemMiddleware: RouterMiddleware {
    let metrics: RequestMetrics

    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            return reply(problem, to: request, context: context)
        } catch let refusal as HeldProblem {
            var response = reply(refusal.problem, to: request, context: context)
            response.headers[.serverTiming] = refusal.held.text
            return response
        } catch let error as HTTPError where error.status == .notFound {
            return reply(Problem(.notFound, "There is nothing at this path."), to: request, context: context)
        } catch let error as any HTTPResponseError where error.status.kind == .clientError {
            return reply(Problem(.invalidBody, "The request could not be read."), to: request, context: context)
        } catch {
            let route = metrics.route(context).route
            context.logger.error("request failed", metadata: ["error": "\(error)", "route": "\(route)"])
            return reply(internalError(context), to: request, context: context)
        }
    }

    private func reply(_ problem: Problem, to request: Request, context: ServerContext) -> Response {
        metrics.count(problem)
        return Reply(problem).response(to: request)
    }

    private func internalError(_ context: ServerContext) -> Problem {
        Problem(
            .internalError, "The server failed, and nothing was applied. Give its operator the request id.",
            members: ["request_id": .string(context.id)])
    }
}
