import Logging
import ServiceLifecycle
import SyncProtocol
@testable import SyncServer
import SyncStore
import Synchronization
import Testing

/// When the server makes a backup by itself.
@Suite struct BackupTimerTests {
    private struct Failure: Error {}

    /// What a timer did before its last pause.
    private final class Diary: Sendable {
        struct State {
            var now: Int64
            var newest: Int64?
            var fails = false
            var made: [Int64] = []
            var pauses: [Duration] = []
        }

        let state: Mutex<State>

        init(now: Int64, newest: Int64?) { state = Mutex(State(now: now, newest: newest)) }

        /// Runs with a backup every 24 hours. Time passes only in pauses. `atPause` gets the number of pauses so far.
        func run(pauses: Int, atPause: @escaping @Sendable (Int, inout State) -> Void = { _, _ in }) async throws {
            let place = BackupTimer.Place(
                newest: { _ in self.state.withLock { $0.newest.map { Instant(milliseconds: $0 * 1000) } } },
                backUp: { now in
                    try self.state.withLock { state in
                        if state.fails { throw Failure() }
                        state.made.append(now.milliseconds / 1000)
                        state.newest = now.milliseconds / 1000
                    }
                    return "b.db"
                })
            let clock = WallClock { Instant(milliseconds: self.state.withLock { $0.now } * 1000) }
            try await BackupTimer(place, every: .seconds(86_400), clock: clock, logger: .silent) { length in
                try self.state.withLock { state in
                    state.pauses.append(length)
                    state.now += length.components.seconds
                    atPause(state.pauses.count, &state)
                    if state.pauses.count == pauses { throw CancellationError() }
                }
            }.run()
        }
    }

    private static let start: Int64 = 1_780_000_000

    @Test func theFirstIsMadeAtOnceAndTheOthersADayApart() async throws {
        let diary = Diary(now: Self.start, newest: nil)
        try await diary.run(pauses: 49)
        #expect(diary.state.withLock { $0.made } == (0...2).map { Self.start + $0 * 86_400 })
    }

    @Test func aServerThatStartsAgainGoesOnAsBefore() async throws {
        let diary = Diary(now: Self.start, newest: Self.start - 86_400 + 90)
        try await diary.run(pauses: 2)
        #expect(diary.state.withLock { $0.pauses.first } == .seconds(90))
        #expect(diary.state.withLock { $0.made } == [Self.start + 90])
    }

    @Test func oneThatFailedIsTriedAgainSoon() async throws {
        let diary = Diary(now: Self.start, newest: nil)
        diary.state.withLock { $0.fails = true }
        try await diary.run(pauses: 4) { count, state in state.fails = count < 3 }
        #expect(diary.state.withLock { $0.made } == [Self.start + 3 * 3600])
    }

    /// If somebody moved the backups away or set the clock, the server notices within an hour.
    @Test func noPauseIsLongerThanAnHour() async throws {
        let diary = Diary(now: Self.start, newest: Self.start)
        try await diary.run(pauses: 3) { count, state in if count == 1 { state.newest = nil } }
        #expect(diary.state.withLock { $0.pauses.max() } == .seconds(3600))
        #expect(diary.state.withLock { $0.made } == [Self.start + 3600])
    }
}
