import HTTPTypes
import Hummingbird
import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import Synchronization

/// `GET /events/`: a stream that says which of the caller's projects have something new.
struct EventController<Store: SyncStore>: Sendable {
    private let service: EventService<Store>
    private let feed: CommitFeed<Store>
    private let clock: WallClock
    private let limits: ListenerLimits
    /// A user's share of the openings.
    private let openings: RateLimiter
    private let metrics: EventMetrics

    init(_ services: Services<Store>, limits: ListenerLimits, metrics: EventMetrics) {
        service = services.events
        feed = services.feed
        clock = services.clock
        self.limits = limits
        self.metrics = metrics
        openings = RateLimiter(perMinute: ListenerLimits.openingsOfUser, clock: services.clock)
    }

    /// Every refusal is a problem document. Afterwards the stream ends only with the connection, or with a `bye`.
    func events(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let projects = try query.projects()
        let caller = context.caller
        let lastEvent = query.text("last_event_id") ?? request.headers[.lastEventID]
        if request.method == .head {
            _ = try await service.start(for: caller, of: projects, after: nil)
            return Response(status: .ok, headers: Self.headers)
        }
        try openings.take(String(caller.userID))
        try limits.enter(.stream, caller.userID)
        let stream = EventStream(context.channel, metrics)
        let limits = limits
        let slot = ListenerSlot { limits.leave(.stream, caller.userID) }
        let listening = try await listen(stream, for: caller, projects: projects)
        let start = try await service.start(for: caller, of: projects, after: lastEvent)
        if let missed = start.missed { stream.poke(missed) }
        // The answer keeps as little as possible: it may last for a day.
        let channel = context.channel
        let head = start.head
        let left = timeLeft(context)
        let isExpired = isExpired(context)
        let body = ResponseBody { writer in
            HangUp.watch(channel) { stream.cut($0) }
            await stream.run(from: head, expiresIn: left, isExpired: isExpired)
            HangUp.watch(channel, nil)
            listening.giveBack()
            slot.giveBack()
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: Self.headers, body: body)
    }

    /// Has the stream told of commits. It listens before anybody looks at what it has to begin with.
    private func listen(
        _ stream: EventStream, for caller: Caller, projects: Set<String>?
    ) async throws -> ListenerSlot {
        let listener = try await feed.listen(for: caller, to: .memberships(projects)) { call in
            switch call {
            case .commits(let commits): stream.poke(commits)
            case .revoked: stream.end(.revoked)
            case .stopping(let place, let count):
                stream.end(.restart, retryMilliseconds: max(1000, count) * place / count)
            }
        }
        return ListenerSlot { [feed] in feed.leave(listener) }
    }

    /// Nil for a token that never expires.
    private func timeLeft(_ context: CallerContext) -> TimeAmount? {
        context.grant.expiresAt.map { .milliseconds(max(0, $0.milliseconds - clock.now().milliseconds)) }
    }

    private func isExpired(_ context: CallerContext) -> @Sendable () -> Bool {
        guard let expiry = context.grant.expiresAt else { return { false } }
        return { [clock] in expiry <= clock.now() }
    }

    private static var headers: HTTPFields {
        [
            .contentType: ServerEvent.mediaType, .cacheControl: "no-store, no-transform", .xAccelBuffering: "no",
        ]
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// Tells nginx not to hold back the stream.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}

/// What a listener has taken, given back once: when it ends, or when its answer is dropped unsent.
final class ListenerSlot: Sendable {
    private let isTaken = Atomic(true)
    private let leave: @Sendable () -> Void

    init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { giveBack() }

    func giveBack() { if isTaken.exchange(false, ordering: .acquiringAndReleasing) { leave() } }
}
