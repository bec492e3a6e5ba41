import Hummingbird
import SyncAccounts
import SyncEngine

/// Makes the answer to a pull, of one project or of all: a page or a stream, and whether it has something.
struct PullLook: Sendable {
    private let request: Request
    private let context: CallerContext
    private let streams: Bool
    private let empty: @Sendable (Caller, Bool) async throws -> PageResponse?
    private let page: @Sendable (Caller, Bool, String?) async throws -> PageResponse
    private let stream: @Sendable (Caller) async throws -> PullStream

    /// `empty` makes the page of a pull that is known to have nothing. The last argument of `page` is the cursor of a
    /// later page. The second argument of both says whether the client takes gzip.
    init(
        _ request: Request, _ context: CallerContext, streams: Bool,
        empty: @escaping @Sendable (Caller, Bool) async throws -> PageResponse?,
        page: @escaping @Sendable (Caller, Bool, String?) async throws -> PageResponse,
        stream: @escaping @Sendable (Caller) async throws -> PullStream
    ) {
        (self.request, self.context, self.streams) = (request, context, streams)
        (self.empty, self.page, self.stream) = (empty, page, stream)
    }

    /// The answer. A stream that is known to be empty is answered like a page.
    func answer() async throws -> Response {
        guard streams else { return reply(try await page(context.caller, packs, nil)) }
        if let page = try await empty(context.caller, packs) { return reply(page) }
        return reply(try await stream(context.caller))
    }

    /// The answer, and whether it has nothing.
    func judgedAnswer() async throws -> (response: Response, isEmpty: Bool) {
        guard streams else {
            let page = try await page(context.caller, packs, nil)
            return (reply(page), try await isEmpty(page))
        }
        if let page = try await empty(context.caller, packs) { return (reply(page), true) }
        let stream = try await stream(context.caller)
        return (reply(stream), stream.isEmpty)
    }

    private var packs: Bool { request.acceptsGzip }

    /// Follows the cursor of a page that has nothing, until one has something or the drain is done.
    private func isEmpty(_ page: PageResponse) async throws -> Bool {
        var page = page
        while case .nothingYet(let cursor) = page.content {
            page = try await self.page(context.caller, packs, cursor)
        }
        return page.content == .nothing
    }

    private func reply(_ stream: PullStream) -> Response {
        let reply = StreamReply(stream: stream, channel: context.channel, logger: context.logger) { [context] in
            context.draining?.reach(stream.head)
        }
        return reply.response(to: request)
    }

    private func reply(_ page: PageResponse) -> Response {
        if let reached = page.reached { context.draining?.reach(reached) }
        var reply = Reply(parts: page.parts)
        reply.isPacked = page.isPacked
        reply.headers[.tidemarkHead] = page.head.description
        return reply.response(to: request)
    }
}
