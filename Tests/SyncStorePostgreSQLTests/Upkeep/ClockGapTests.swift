import PostgreSQLTestKit
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Synchronization
import Testing

@testable import SyncStorePostgreSQL

/// A machine whose clock is not the database's.
@Suite(.timeLimit(.minutes(30))) struct ClockGapTests {
    /// A clock that is off by as much as it is told.
    private final class WrongClock: Sendable {
        private let offset: Mutex<Duration>

        init(_ offset: Duration) { self.offset = Mutex(offset) }

        var wallClock: WallClock {
            WallClock { WallClock.system.now().advanced(by: self.offset.withLock { $0 }) }
        }

        func set(_ offset: Duration) { self.offset.withLock { $0 = offset } }
    }

    private static let noon = Workbench<ModelStore>.noon

    /// The machine's clock says noon before the question, and noon and 40 ms after it.
    @Test(
        arguments: [
            (0, 0), (40, 0), (17, 0), (-1, 1), (-90_000, 90_000), (41, -1), (60_040, -60_000),
        ] as [(Int64, Int64)])
    func whatTheWayOfTheAnswerExplainsIsNoGap(database: Int64, gap: Int64) {
        let time = Mutex(Self.noon)
        let found = ClockGap(WallClock { time.withLock { $0 } }) {
            time.withLock { $0 = $0.advanced(by: .milliseconds(40)) }
            return Self.noon.milliseconds + database
        }
        #expect(found.milliseconds == gap)
        #expect(found.isTooWide == (abs(gap) > 60_000))
    }

    @Test(arguments: [300, -300, 40 * 86_400]) func aServerWhoseClockIsOffDoesNotStart(seconds: Int) throws {
        let database = try TestDatabase()
        let before = try database.catalogue()
        let clock = WrongClock(.seconds(seconds)).wallClock
        let error = #expect(throws: StoreError.self) { try database.open(.builtIn(), machine: clock) }
        let words = error?.description ?? ""
        #expect(words.contains(seconds > 0 ? "ahead of the database's" : "behind the database's"), "\(words)")
        #expect(words.contains("timedatectl set-ntp true"), "\(words)")
        #expect(try database.catalogue() == before)
        try database.open(.builtIn()).close()
        try database.open(.builtIn(), as: .guest, machine: clock).close()
    }

    @Test func aServerWhoseClockGoesWrongSaysSoAndPurgesNothing() async throws {
        let database = try TestDatabase()
        let clock = WrongClock(.seconds(59))
        let store = try database.open(.builtIn(), machine: clock.wallClock)
        defer { store.close() }
        let told = Mutex<[String]>([])
        store.onClockGap { sentence in told.withLock { $0.append(sentence) } }
        func warnings() -> [String] { store.metrics.warnings.filter { $0.contains("clock of this machine") } }
        func isPurging() async throws -> Bool { try await store.exclusively(.purge) {} }
        #expect(try await isPurging())
        clock.set(.seconds(40 * 86_400))
        while warnings().isEmpty { _ = try await store.mark(of: .accounts) }
        #expect(warnings().allSatisfy { $0.contains("ahead of the database's") })
        #expect(try #require(store.metrics.shared).clockGap > .seconds(39 * 86_400))
        #expect(try await !isPurging())
        #expect(clock.wallClock.now() > store.clock.now().advanced(by: .seconds(39 * 86_400)), "It is corrected.")
        clock.set(.zero)
        while !warnings().isEmpty { _ = try await store.mark(of: .accounts) }
        #expect(try await isPurging())
        while told.withLock({ $0.count }) < 2 { _ = try await store.mark(of: .accounts) }
        #expect(told.withLock { $0.map { $0.contains("agrees") } } == [false, true])
    }

    /// Two servers, whose clocks are a minute apart, are asked for the same refresh at once, and in turn.
    @Test func twoRefreshesAtTwoServersEndNoSession() async throws {
        let database = try TestDatabase()
        let clocks = [WrongClock(.seconds(30)).wallClock, WrongClock(.seconds(-30)).wallClock]
        let stores = try clocks.map { try database.open(.builtIn(), machine: $0) }
        defer { for store in stores { store.close() } }
        try await Installation.prepare(stores[0])
        let tokens = try await Installation.accessTokens(stores[0])
        var settings = AccountSettings()
        settings.refreshesPerAddress = 0
        let services = stores.map { [settings] store in
            SessionService(store: store, tokens: tokens, passwords: .quick, settings: settings, clock: store.clock)
        }
        _ = try await AccountService(store: stores[0], clock: stores[0].clock, passwords: .quick)
            .addUser("alice", password: "correct horse")
        var pair = try await services[0].logIn("alice", password: "correct horse", from: "here")
        for round in 0..<100 {
            let (here, there) = (services[round % 2], services[(round + 1) % 2])
            let shown = pair.refresh
            async let first = here.refresh(shown, from: "here")
            async let second = there.refresh(shown, from: "there")
            let refreshes = try await [first.refresh, second.refresh]
            #expect(refreshes[0] == refreshes[1], "round \(round)")
            pair = try await here.refresh(shown, from: "here")
            #expect(pair.refresh == refreshes[0], "round \(round)")
        }
        let sessions = try await stores[1].read { try $0.sessions(of: 1) }
        #expect(sessions.count == 1)
    }

    @Test func allServersHaveTheDatabasesTime() async throws {
        let database = try TestDatabase()
        let clocks = [WrongClock(.seconds(50)).wallClock, WrongClock(.seconds(-50)).wallClock]
        let stores = try clocks.map { try database.open(.builtIn(), machine: $0) }
        defer { for store in stores { store.close() } }
        var last = Instant(milliseconds: 0)
        for round in 0..<20 {
            let store = stores[round % 2]
            let now = try await store.write(.accounts) { try $0.now(by: store.clock) }
            // What the way of an answer takes can't be told from a gap.
            #expect(now.advanced(by: .seconds(40)) > last, "round \(round)")
            last = now
        }
    }
}
