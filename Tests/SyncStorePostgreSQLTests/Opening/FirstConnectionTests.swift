import PostgreSQLTestKit
import SyncEngine
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStorePostgreSQL
import SyncTestKit
import Synchronization
import Testing

/// A server waits for a database that can't be reached; a command says so at once.
@Suite(.timeLimit(.minutes(30))) struct FirstConnectionTests {
    /// A clock that moves when somebody sleeps.
    private final class Sleeper: Sendable {
        let slept = Mutex<Duration>(.zero)
        let reports = Mutex<[String]>([])

        func connection(
            _ address: ServerAddress, _ opener: DatabaseOpener, at turn: @escaping (Duration) -> Void = { _ in }
        ) -> FirstConnection {
            let start = ContinuousClock.now
            return FirstConnection(
                address: address, opener: opener, report: { text in self.reports.withLock { $0.append(text) } },
                now: { start + self.slept.withLock { $0 } },
                sleep: { pause in
                    self.slept.withLock { $0 += pause }
                    turn(self.slept.withLock { $0 })
                })
        }
    }

    private var nowhere: ServerAddress { get throws { try ServerAddress("postgres://u@/plans?host=/nowhere") } }

    @Test func aCommandFailsAtOnce() throws {
        let sleeper = Sleeper()
        let error = #expect(throws: StoreError.self) { try sleeper.connection(try nowhere, .guest).open() }
        #expect(error?.reason.contains("Can't connect") == true && error?.hint.contains("TIDEMARK_DATABASE") == true)
        #expect(sleeper.slept.withLock { $0 } == .zero && sleeper.reports.withLock { $0 }.isEmpty)
    }

    @Test func aServerSaysWhyItWaitsAndGivesUp() throws {
        let sleeper = Sleeper()
        let error = #expect(throws: StoreError.self) { try sleeper.connection(try nowhere, .server(.ask)).open() }
        #expect(error?.reason.contains("Can't connect") == true)
        #expect(sleeper.slept.withLock { $0 } == .seconds(60))
        let reports = sleeper.reports.withLock { $0 }
        #expect(reports.count == 1 && reports[0].contains("Can't connect") && reports[0].contains("60 s"))
    }

    /// A database that takes no writes looks like a standby whose primary is gone. One comes while the server waits.
    @Test func aServerWaitsForAPrimary() throws {
        let database = try TestDatabase()
        func set(_ isReadOnly: Bool) {
            _ = try? database.run(
                "SET transaction_read_only = off; DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET "
                    + "default_transaction_read_only = \(isReadOnly)', current_database()); END $$")
        }
        set(true)
        let sleeper = Sleeper()
        for address in [database.address, try database.address(with: "target_session_attrs=any")] {
            let error = #expect(throws: StoreError.self) { try sleeper.connection(address, .guest).open() }
            #expect(error?.reason.contains("takes writes") == true && error?.hint.contains("primary") == true)
        }
        let connection = try sleeper.connection(database.address, .server(.ask)) { slept in
            if slept == .seconds(5) { set(false) }
        }.open()
        #expect(!connection.isReadOnly && sleeper.slept.withLock { $0 } == .seconds(5))
        #expect(sleeper.reports.withLock { $0 }.count == 1)
    }

    /// Waiting would not help.
    @Test func aDatabaseThatDoesNotExistIsRefusedAtOnce() throws {
        let sleeper = Sleeper()
        let address = try TestDatabase().address(with: "dbname=nothing_here")
        let error = #expect(throws: StoreError.self) { try sleeper.connection(address, .server(.ask)).open() }
        #expect(error?.reason.contains("nothing_here") == true)
        #expect(sleeper.slept.withLock { $0 } == .zero)
    }
}
