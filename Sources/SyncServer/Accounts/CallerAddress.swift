import Hummingbird

/// Tells the caller's address to what the audit list keeps. Reads are not kept, and don't pay for it.
struct CallerAddress: RouterMiddleware {
    let address: ClientAddress

    func handle(
        _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        guard request.method != .get else { return try await next(request, context) }
        var context = context
        context.address = address.text(request, context.channel.remoteAddress)
        return try await next(request, context)
    }
}
