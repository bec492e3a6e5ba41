import HTTPTypes
import Hummingbird
import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import Synchronization

/// A pull that waits until there is something for its caller, without a thread.
///
/// It listens before it looks, so nothing slips through. It is woken by commits of which the caller may see something,
/// and looks by making the answer: only an answer that has something ends it early.
struct HeldPull<Store: SyncStore>: Sendable {
    let feed: CommitFeed<Store>
    let limits: ListenerLimits
    let clock: WallClock

    /// The least time between two looks for which a pull is woken. A look at a part goes through all that changed.
    static func pause(isFiltered: Bool) -> TimeAmount { isFiltered ? .seconds(1) : .milliseconds(250) }

    /// Returns what `look` returns: at once if that is something, otherwise as soon as it is, or after `seconds`. Also
    /// when the client hangs up. Throws what `look` throws; `unauthorized` when the caller's token expires or is
    /// revoked; `busy` when the server stops; `too_many_streams` and `busy` if too many pulls are held.
    func answer(
        after seconds: Int, pausing pause: TimeAmount, _ context: CallerContext, of scope: FeedScope,
        _ look: () async throws -> (response: Response, isEmpty: Bool)
    ) async throws -> Response {
        let first = try await look()
        guard first.isEmpty else { return first.response }
        let bell = Bell()
        let begun = NIODeadline.now()
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
        let timers = timers(seconds, context: context, bell: bell)
        defer { for timer in timers { timer.cancel() } }
        var held: HeldTime { HeldTime(nanoseconds: (NIODeadline.now() - begun).nanoseconds) }
        do {
            var response = try await wait(context, bell: bell, pause: pause, answer: look)
            response.headers[.serverTiming] = held.text
            return response
        } catch let problem as Problem {
            throw HeldProblem(problem: problem, held: held)
        }
    }

    private func timers(_ seconds: Int, context: CallerContext, bell: Bell) -> [Scheduled<Void>] {
        let loop = context.channel.eventLoop
        let end = loop.scheduleTask(in: .seconds(Int64(seconds))) { bell.ring(.timeUp) }
        guard let expiry = context.grant.expiresAt else { return [end] }
        let left = expiry.milliseconds - clock.now().milliseconds
        guard left < seconds * 1000 else { return [end] }
        return [end, loop.scheduleTask(in: .milliseconds(max(0, left))) { bell.ring(.unauthorized) }]
    }

    private func wait(
        _ context: CallerContext, bell: Bell, pause: TimeAmount,
        answer: () async throws -> (response: Response, isEmpty: Bool)
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
        var isScheduled = false
        var next = NIODeadline.now()
        while true {
            switch await bell.next() {
            case .unauthorized: throw Problem.unauthorized
            case .stopping: throw Problem.stopping
            case .timeUp: return try await look().response
            case .look where NIODeadline.now() < next:
                if !isScheduled { loop.scheduleTask(deadline: next) { bell.ring(.look) } }
                isScheduled = true
            case .look:
                next = .now() + pause
                isScheduled = false
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

/// How long a pull was held, as a value of `Server-Timing`: https://www.w3.org/TR/server-timing/
struct HeldTime {
    private static let prefix = "wait;dur="

    let nanoseconds: Int64

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Reads `text`. Nil for any other text.
    init?(_ text: String) {
        guard text.hasPrefix(HeldTime.prefix), let milliseconds = Int64(text.dropFirst(HeldTime.prefix.count)) else {
            return nil
        }
        nanoseconds = milliseconds * 1_000_000
    }

    /// In whole milliseconds.
    var text: String { "\(HeldTime.prefix)\(nanoseconds / 1_000_000)" }
}

/// A refusal that ended a held pull, and how long the pull had been held.
struct HeldProblem: Error {
    let problem: Problem
    let held: HeldTime
}

/// Wakes the task of a held pull. It may ring before the task waits.
final class Bell: Sendable {
    enum Ring: Sendable {
        /// There may be something new.
        case look
        /// The time is up, the client is gone, or the task is cancelled.
        case timeUp
        /// The token has expired or was revoked.
        case unauthorized
        /// The server stops.
        case stopping
    }

    fileprivate struct State {
        var waiter: CheckedContinuation<Ring, Never>?
        var looks = false
        /// The first ring that ends the pull.
        var end: Ring?
    }

    private let state = Mutex(State())

    func ring(_ ring: Ring) {
        let waiter = state.withLock { state in
            if case .look = ring { state.looks = true } else { state.end = state.end ?? ring }
            return state.take()
        }
        if let waiter { waiter.0.resume(returning: waiter.1) }
    }

    /// Waits for the next ring. Rings that end the pull come first, and are repeated.
    func next() async -> Ring {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = state.withLock { state in
                    state.waiter = continuation
                    return state.take()
                }
                if let waiter { waiter.0.resume(returning: waiter.1) }
            }
        } onCancel: {
            ring(.timeUp)
        }
    }
}

extension Bell.State {
    /// The waiting task and its ring; nil if there is no task or no ring.
    fileprivate mutating func take() -> (CheckedContinuation<Bell.Ring, Never>, Bell.Ring)? {
        guard let waiter, let ring = end ?? (looks ? .look : nil) else { return nil }
        self.waiter = nil
        looks = false
        return (waiter, ring)
    }
}
