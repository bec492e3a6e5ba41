import HTTPTypes
import Hummingbird
import Logging
import SyncProtocol

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
            return reply(problem, request, context)
        } catch let refusal as HeldProblem {
            var response = reply(refusal.problem, request, context)
            response.headers[.serverTiming] = refusal.held.text
            return response
        } catch let error as HTTPError where error.status == .notFound {
            return reply(Problem(.notFound, "There is nothing at this path."), request, context)
        } catch let error as any HTTPResponseError where error.status.kind == .clientError {
            return reply(Problem(.invalidBody, "The request could not be read."), request, context)
        } catch {
            let route = metrics.route(context).route
            context.logger.error("request failed", metadata: ["error": "\(error)", "route": "\(route)"])
            return reply(internalError(context), request, context)
        }
    }

    private func reply(_ problem: Problem, _ request: Request, _ context: ServerContext) -> Response {
        metrics.count(problem)
        return Reply(problem).response(to: request)
    }

    private func internalError(_ context: ServerContext) -> Problem {
        Problem(
            .internalError, "The server failed, and nothing was applied. Give its operator the request id.",
            members: ["request_id": .string(context.id)])
    }
}
