import HTTPTypes
import Hummingbird
import SyncAccounts

/// Counts the requests of each project. Only those that were answered count, so an id that nobody has is not counted.
/// A user-wide upload counts for the projects that it wrote to.
struct ProjectObserver: RouterMiddleware {
    let busy: BusyProjects

    func handle(
        _ request: Request, context: CallerContext,
        next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let isUpload = context.uploading != nil
        if let project = context.parameters.get("project") { busy.note(project, isUpload: isUpload) }
        for project in context.uploading?.projects ?? [] { busy.note(project, isUpload: true) }
        return response
    }
}
