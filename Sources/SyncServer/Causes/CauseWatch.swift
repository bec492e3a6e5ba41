import Logging
import ServiceLifecycle
import SyncProtocol
import SyncStore
import Synchronization

/// Looks after the causes until the server stops: has the store try what did not work, asks the database how it is, and
/// logs what changed. A database that hangs holds up nothing but its own questions.
struct CauseWatch<Store: SyncStore>: Service {
    let store: Store
    let causes: CauseList
    let pulse: DatabasePulse
    let clockWatch: ClockWatch
    let clock: WallClock
    let logger: Logger
    /// Returns when it is time to look again.
    var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(5)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.repeatedly { await self.pulse.ask(self.store) } }
                group.addTask { await self.repeatedly { await self.store.recover() } }
                group.addTask { await self.repeatedly { self.look() } }
            }
        }
    }

    private func look() {
        clockWatch.look(at: clock.now())
        causes.log(logger)
    }

    private func repeatedly(_ body: () async -> Void) async {
        while !Task.isCancelled {
            await body()
            do { try await pause() } catch { return }
        }
    }
}

/// How quickly the database answers a short question.
final class DatabasePulse: Sendable {
    private struct State {
        /// When the question was asked that has no answer yet.
        var askedAt: Moment?
        /// When the first of the slow answers was asked for. Nil after a quick one.
        var slowSince: Moment?
        var lostSince: Instant?
    }

    private struct Moment {
        let monotonic: ContinuousClock.Instant
        let wall: Instant
    }

    /// An answer that takes longer is slow.
    static let quick = Duration.seconds(1)
    /// For how long answers have to be slow.
    static let patience = Duration.seconds(30)

    private let clock: WallClock
    private let monotonic: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(_ clock: WallClock, monotonic: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.clock = clock
        self.monotonic = monotonic
    }

    /// Asks the database once.
    func ask(_ store: some SyncStore) async {
        let asked = Moment(monotonic: monotonic(), wall: clock.now())
        state.withLock { $0.askedAt = asked }
        do {
            _ = try await store.read(.project("")) { try $0.project("") }
            let isQuick = monotonic() - asked.monotonic <= Self.quick && store.metrics.oldestWrite <= Self.quick
            state.withLock { state in
                state.askedAt = nil
                state.lostSince = nil
                state.slowSince = isQuick ? nil : state.slowSince ?? asked
            }
        } catch {
            // Damage is a cause of its own.
            let isLost = (error as? Problem)?.code == .busy
            state.withLock { state in
                state.askedAt = nil
                if isLost { state.lostSince = state.lostSince ?? asked.wall }
            }
        }
    }

    /// A rule for the list of causes.
    func findings(_ now: Instant) -> [CauseFinding] {
        let state = state.withLock { $0 }
        var findings: [CauseFinding] = []
        if let lost = state.lostSince { findings.append(CauseFinding(.databaseUnreachable, since: lost)) }
        if let slow = state.slowSince ?? state.askedAt, monotonic() - slow.monotonic >= Self.patience {
            findings.append(CauseFinding(.databaseSlow, since: slow.wall))
        }
        return findings
    }
}

/// Whether the machine's clock was set, by comparison with one that can't be.
final class ClockWatch: Sendable {
    private struct State {
        var last: (wall: Instant, monotonic: ContinuousClock.Instant)?
        var jump: (at: Instant, monotonic: ContinuousClock.Instant, milliseconds: Int64)?
    }

    /// The smallest jump that counts.
    static let smallest = Duration.seconds(60)
    /// How long it is told.
    static let memory = Duration.seconds(3600)

    private let monotonic: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(monotonic: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.monotonic = monotonic }

    /// Compares the clocks with how they were at the last call.
    func look(at now: Instant) {
        let here = monotonic()
        state.withLock { state in
            defer { state.last = (now, here) }
            guard let last = state.last else { return }
            let passed = Int64((here - last.monotonic) / .milliseconds(1))
            let jump = now.milliseconds - last.wall.milliseconds - passed
            guard .milliseconds(jump.magnitude) >= Self.smallest else { return }
            state.jump = (now, here, jump)
        }
    }

    /// A rule for the list of causes.
    func findings(_ now: Instant) -> [CauseFinding] {
        guard let jump = state.withLock(\.jump), monotonic() - jump.monotonic < Self.memory else { return [] }
        let way = jump.milliseconds > 0 ? "forward" : "back"
        let detail = "The machine's clock was set \(way) by \(jump.milliseconds.magnitude / 1000) s."
        return [CauseFinding(.clockJumped, since: jump.at, detail: detail)]
    }
}
