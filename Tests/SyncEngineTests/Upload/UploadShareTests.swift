@testable import SyncEngine
import SyncProtocol
import SyncStore
import Synchronization
import Testing

/// Servers on one database share the limits on uploads.
@Suite struct UploadShareTests {
    private final class Servers: Sendable {
        let count = Mutex(1)
    }

    /// How many uploads of user 1 to the project are taken at once.
    private func taken(_ limits: UploadLimits, _ project: String) -> Int {
        var taken = 0
        while taken < 100, (try? limits.claim(user: 1).take([project])) != nil { taken += 1 }
        return taken
    }

    @Test func eachServerAllowsItsShareRoundedUp() throws {
        let servers = Servers()
        let limits = UploadLimits(
            perProject: 10, perUser: 0, clock: WallClock { Instant(milliseconds: 0) },
            servers: { servers.count.withLock { $0 } })
        #expect(taken(limits, "p1") == 10)
        servers.count.withLock { $0 = 3 }
        #expect(taken(limits, "p2") == 4)
        servers.count.withLock { $0 = 100 }
        #expect(taken(limits, "p3") == 1)
    }

    /// A bucket that was full for one server is not too full for two.
    @Test func aBucketFollowsTheNumberOfServers() throws {
        let servers = Servers()
        let limits = UploadLimits(
            perProject: 10, perUser: 0, clock: WallClock { Instant(milliseconds: 0) },
            servers: { servers.count.withLock { $0 } })
        try limits.claim(user: 1).take(["p1"])
        servers.count.withLock { $0 = 2 }
        #expect(taken(limits, "p1") == 5)
    }

    @Test func noLimitStaysNone() throws {
        let limits = UploadLimits(
            perProject: 0, perUser: 0, clock: WallClock { Instant(milliseconds: 0) }, servers: { 3 })
        #expect(taken(limits, "p1") == 100)
    }
}
