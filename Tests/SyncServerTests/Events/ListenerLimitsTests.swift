import NIOCore
import SyncProtocol
import Testing

@testable import SyncServer

/// How many may listen.
@Suite struct ListenerLimitsTests {
    private let start = NIODeadline.uptimeNanoseconds(3_600_000_000_000)

    @Test func listenersLeaveAQuarterOfTheConnections() throws {
        let limits = ListenerLimits(streams: 1000, connections: 8)
        for user in 0..<3 {
            try limits.enter(.stream, Int64(user))
            try limits.enter(.heldPull, Int64(user))
        }
        for form in [ListenerLimits.Form.stream, .heldPull] {
            #expect(throws: Problem.self) { try limits.enter(form, 9) }
        }
        limits.leave(.stream, 0)
        try limits.enter(.heldPull, 9)
        #expect(limits.counts == (2, 4))
    }

    @Test func aThousandStreamsBeginInASecond() throws {
        let limits = ListenerLimits(streams: 10_000, connections: 40_000)
        for user in 0..<1000 { try limits.enter(.stream, Int64(user), at: start) }
        let refused = try #require(throws: Problem.self) { try limits.enter(.stream, 2000, at: start) }
        #expect(refused.code == .busy)
        try limits.enter(.heldPull, 2000, at: start)
        for user in 3000..<3500 { try limits.enter(.stream, Int64(user), at: start + .milliseconds(500)) }
        #expect(throws: Problem.self) { try limits.enter(.stream, 2000, at: start + .milliseconds(500)) }
    }
}
