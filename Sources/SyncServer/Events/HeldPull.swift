import HTTPTypes
import Hummingbird
import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore

/// A pull that waits until there is something for its caller, without a thread.
///
/// It listens before it looks, so nothing slips through. It is woken by commits of which the caller may see something,
/// and looks by making the answer: only an answer that has something ends it early.
struct HeldPull<Store: SyncStore>: Sendable {
    /// The least time between two looks for which the pull was woken.
    private static var pause: TimeAmount { .milliseconds(250) }

    let feed: CommitFeed<Store>
    let limits: ListenerLimits
    let clock: WallClock

    /// Returns what `look` returns: at once if that is something, otherwise as soon as it is, or after `seconds`. Also
    /// when the client hangs up. Throws what `look` throws; `unauthorized` when the caller's token expires or is
    /// revoked; `busy` when the server stops; `too_many_streams` and `busy` if too many pulls are held.
    func answer(
        after seconds: Int, _ context: CallerContext, of scope: FeedScope,
        _ look: () async throws -> (response: Response, isEmpty: Bool)
    ) async throws -> Response {
        let first = try await look()
        guard first.isEmpty else { return first.response }
        let (bell, begun) = (Bell(), NIODeadline.now())
        try limits.enter(.heldPull, context.caller.userID)
        defer { limits.leave(.heldPull, context.caller.userID) }
        let listener = try await feed.listen(for: context.caller, to: scope) { call in
            switch call {
            case .commits: bell.ring(.look)
            case .revoked: bell.ring(.unauthorized)
            case .stopping: bell.ring(.stopping)
            }
        }
        defer { feed.leave(listener) }
        HangUp.watch(context.channel) { _ in bell.ring(.timeUp) }
        defer { HangUp.watch(context.channel, nil) }
        let timers = timers(seconds, context, bell)
        defer { for timer in timers { timer.cancel() } }
        var held: HeldTime { HeldTime(nanoseconds: (NIODeadline.now() - begun).nanoseconds) }
        do {
            var response = try await wait(context, bell, look)
            response.headers[.serverTiming] = held.text
            return response
        } catch let problem as Problem {
            throw HeldProblem(problem: problem, held: held)
        }
    }

    private func timers(_ seconds: Int, _ context: CallerContext, _ bell: Bell) -> [Scheduled<Void>] {
        let loop = context.channel.eventLoop
        let end = loop.scheduleTask(in: .seconds(Int64(seconds))) { bell.ring(.timeUp) }
        guard let expiry = context.grant.expiresAt else { return [end] }
        let left = expiry.milliseconds - clock.now().milliseconds
        guard left < seconds * 1000 else { return [end] }
        return [end, loop.scheduleTask(in: .milliseconds(max(0, left))) { bell.ring(.unauthorized) }]
    }

    private func wait(
        _ context: CallerContext, _ bell: Bell, _ answer: () async throws -> (response: Response, isEmpty: Bool)
    ) async throws -> Response {
        let loop = context.channel.eventLoop
        // The timer of the token's end does not notice that the clock was set.
        func look() async throws -> (response: Response, isEmpty: Bool) {
            if let expiry = context.grant.expiresAt, expiry <= clock.now() { throw Problem.unauthorized }
            return try await answer()
        }
        // It listens now, so what came before this look is found, and what comes after it rings.
        let found = try await look()
        if !found.isEmpty { return found.response }
        var (isScheduled, next) = (false, NIODeadline.now())
        while true {
            switch await bell.next() {
            case .unauthorized: throw Problem.unauthorized
            case .stopping: throw Problem.stopping
            case .timeUp: return try await look().response
            case .look where NIODeadline.now() < next:
                if !isScheduled { loop.scheduleTask(deadline: next) { bell.ring(.look) } }
                isScheduled = true
            case .look:
                (next, isScheduled) = (.now() + Self.pause, false)
                let found = try await look()
                if !found.isEmpty { return found.response }
            }
        }
    }
}

extension HTTPField.Name {
    /// How long a pull was held: `HeldTime`.
    static let serverTiming = HTTPField.Name("Server-Timing")!
}
