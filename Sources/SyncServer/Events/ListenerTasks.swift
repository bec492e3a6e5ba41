package import Hummingbird

/// Answers requests that may last in a task of their own.
///
/// A task keeps the memory of its deepest call for as long as it lives, and that of a connection lives as long as the
/// connection. For a stream of events that was 30 KB.
package struct ListenerTasks<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerContext {
    private let base: Base

    init(_ base: Base) { self.base = base }

    package func respond(to request: Request, context: ServerContext) async throws -> Response {
        guard request.mayLast else { return try await base.respond(to: request, context: context) }
        let task = Task { try await base.respond(to: request, context: context) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension Request {
    /// Whether it asks for events, or for a pull that waits.
    fileprivate var mayLast: Bool {
        guard method == .get else { return false }
        return uri.path.hasSuffix("/events/") || uri.path.hasSuffix("/events") || uri.query?.contains("wait=") == true
    }
}
