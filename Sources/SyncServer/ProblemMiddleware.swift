import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncProtocol

/// The outermost middleware: every error becomes a problem document, and what is the server's fault is logged here, once,
/// with the request id. Nothing internal leaves the server.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            return reply(problem, request, context)
        } catch is NIOTooManyBytesError {
            return reply(.bodyTooLarge, request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return reply(Problem(.notFound, "There is nothing at this path."), request, context)
        } catch let error as any HTTPResponseError where error.status.kind == .clientError {
            return reply(Problem(.invalidBody, "The request could not be read."), request, context)
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
            return reply(internalError(context), request, context)
        }
    }

    private func reply(_ problem: Problem, _ request: Request, _ context: ServerContext) -> Response {
        Reply(problem).response(to: request)
    }

    private func internalError(_ context: ServerContext) -> Problem {
        Problem(
            .internalError, "The server failed; nothing was applied. Tell its operator the request id.",
            members: ["request_id": .string(context.id)])
    }
}

extension Problem {
    static let bodyTooLarge = Problem(
        .bodyTooLarge, "The body is larger than \(JSONBody.maximumBytes) bytes. Split the batch.",
        members: ["limit": .int(Int64(JSONBody.maximumBytes))])
}
