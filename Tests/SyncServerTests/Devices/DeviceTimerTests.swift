import Logging
import ServiceLifecycle
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Synchronization
import Testing

@testable import SyncServer

/// When the ledger is written.
@Suite struct DeviceTimerTests {
    private struct Stop: Error {}

    /// After each pause, also after a write that failed, and at the end.
    @Test func theLedgerIsWrittenAfterEachPauseAndAtTheEnd() async throws {
        let base = ModelStore(registry: try Registry.builtIn())
        let store = HookedStore(base) { if $0 == 2 { throw Stop() } }
        let service = DeviceService(store: store, clock: WallClock { Workbench<ModelStore>.noon })
        let (rounds, log) = (Rounds(), CapturedLog())
        let device = try #require(DeviceDescription(id: "d"))
        @Sendable func stored() async throws -> [Int64] {
            try await base.read { try $0.usersWithDevices(after: 0, limit: 9) }
        }
        let timer = DeviceTimer(service, logger: log.logger(LogSettings())) {
            let round = rounds.next()
            #expect(try await stored() == [[], [1], [1], [1, 2, 3]][round - 1])
            service.note(DeviceSighting(of: device, user: Int64(round)))
            if round == 4 { throw CancellationError() }
        }
        try await timer.run()
        #expect(try await stored() == [1, 2, 3, 4])
        #expect(log.lines.count == 1, "\(log.lines)")
    }
}

/// Counts from 1.
private final class Rounds: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
