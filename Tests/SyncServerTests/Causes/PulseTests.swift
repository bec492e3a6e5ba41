import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Synchronization
import Testing

@testable import SyncServer

/// Causes that are found by asking and by comparing clocks.
@Suite struct PulseTests {
    /// A monotonic clock that a test moves.
    private final class Time: Sendable {
        private let now = Mutex(ContinuousClock.now)

        var read: @Sendable () -> ContinuousClock.Instant { { self.now.withLock { $0 } } }

        func advance(by duration: Duration) { now.withLock { $0 += duration } }
    }

    /// A database whose answers take a while, or don't come.
    private struct SlowStore: WrappingStore {
        let base: ModelStore
        let answer: @Sendable () throws -> Void

        func read<Value: Sendable>(
            _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
        ) async throws -> Value {
            try answer()
            return try await base.read(scope, body)
        }

        func write<Value: Sendable>(
            _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
            _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
        ) async throws -> Value { try await base.write(scope, priority: priority, needing: needs, body) }
    }

    private let wall = ManualClock(Instant(milliseconds: 1_800_000_000_000))
    private let time = Time()
    private let pulse: DatabasePulse
    private let base: ModelStore

    init() throws {
        pulse = DatabasePulse(wall.wallClock, monotonic: time.read)
        base = ModelStore(registry: try .builtIn())
    }

    private func advance(by duration: Duration) {
        wall.advance(by: duration)
        time.advance(by: duration)
    }

    private func store(taking duration: Duration) -> SlowStore {
        SlowStore(base: base) { self.advance(by: duration) }
    }

    private var causes: [Cause] { pulse.findings(wall.wallClock.now()).map(\.cause) }

    @Test func answersHaveToBeSlowForHalfAMinute() async {
        let begun = wall.wallClock.now()
        for seconds in 0..<4 {
            #expect(causes == [], "after \(seconds)")
            await pulse.ask(store(taking: .seconds(2)))
            advance(by: .seconds(5))
        }
        advance(by: .seconds(2))
        #expect(pulse.findings(wall.wallClock.now()).map(\.cause) == [.databaseSlow])
        #expect(pulse.findings(wall.wallClock.now()).first?.since == begun)
        await pulse.ask(store(taking: .seconds(1)))
        #expect(causes == [])
    }

    @Test func aQuickAnswerBetweenSlowOnesBeginsAgain() async {
        for _ in 0..<10 {
            await pulse.ask(store(taking: .seconds(5)))
            await pulse.ask(store(taking: .milliseconds(10)))
            advance(by: .seconds(5))
            #expect(causes == [])
        }
    }

    @Test func aQuestionWithoutAnAnswerIsASlowOne() async {
        let slow = SlowStore(base: base) {
            self.advance(by: .seconds(29))
            #expect(self.causes == [])
            self.advance(by: .seconds(1))
            #expect(self.causes == [.databaseSlow])
        }
        await pulse.ask(slow)
    }

    @Test func aDatabaseIsUnreachableUntilItAnswers() async {
        let lost = SlowStore(base: base) { throw Problem(.busy, "The database can't be reached now.") }
        let begun = wall.wallClock.now()
        await pulse.ask(lost)
        advance(by: .seconds(5))
        await pulse.ask(lost)
        #expect(pulse.findings(wall.wallClock.now()) == [CauseFinding(.databaseUnreachable, since: begun)])
        await pulse.ask(store(taking: .zero))
        #expect(causes == [])
        await pulse.ask(SlowStore(base: base) { throw StoreError("Damaged.", hint: "") })
        #expect(causes == [], "damage is a cause of its own")
    }

    @Test(arguments: [60, -60, 86_400]) func aJumpOfAMinuteIsToldForAnHour(seconds: Int64) {
        let watch = ClockWatch(monotonic: time.read)
        func look() -> [CauseFinding] {
            watch.look(at: wall.wallClock.now())
            return watch.findings(wall.wallClock.now())
        }
        #expect(look() == [])
        wall.advance(by: .seconds(seconds > 0 ? 59 : -59))
        advance(by: .seconds(5))
        #expect(look() == [], "a smaller one is none")
        wall.advance(by: .seconds(seconds))
        let way = seconds > 0 ? "forward" : "back"
        #expect(look().first?.detail == "The machine's clock was set \(way) by \(abs(seconds)) s.")
        advance(by: .seconds(3599))
        #expect(look().map(\.cause) == [.clockJumped])
        advance(by: .seconds(1))
        #expect(look() == [])
    }

    @Test func timeThatPassesIsNoJump() {
        let watch = ClockWatch(monotonic: time.read)
        for _ in 0..<3 {
            watch.look(at: wall.wallClock.now())
            advance(by: .seconds(86_400))
        }
        #expect(watch.findings(wall.wallClock.now()) == [])
    }
}
