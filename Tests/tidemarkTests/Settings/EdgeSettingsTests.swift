import NIOCore
import SyncServer
import Testing

@testable import tidemark

/// What the HTTP settings become.
@Suite struct EdgeSettingsTests {
    @Test func theLimitsAreThoseOfTheSettings() throws {
        var settings = HTTPSettings()
        (settings.idleSeconds, settings.stallSeconds, settings.transferSeconds, settings.connections) = (1, 2, 3, 4)
        var streams = SyncSettings()
        (streams.streamStallSeconds, streams.streamWaitSeconds) = (5, 6)
        let edge = try Edge(settings, streams: streams)
        #expect(edge.limits.streamStall == .seconds(10))
        #expect(edge.limits.streamTransfer == .seconds(12))
        #expect(edge.limits.idle == .seconds(1))
        #expect(edge.limits.stall == .seconds(2))
        #expect(edge.limits.transfer == .seconds(3))
        #expect(edge.limits.connections == 4)
        #expect(edge.certificates == nil)
    }

    @Test func connectionsAreNoMoreThanThisProcessMayHave() throws {
        var settings = HTTPSettings()
        settings.connections = .max
        let open = OpenFiles.raiseLimit()
        #expect(try Edge(settings).limits.connections == max(1, open - OpenFiles.reserve))
    }

    @Test func aCertificateWithoutItsKeyEndsTheStart() {
        for change in [{ $0.tlsCertificate = "a.pem" }, { $0.tlsKey = "a.key" }] as [(inout HTTPSettings) -> Void] {
            var settings = HTTPSettings()
            change(&settings)
            #expect(throws: CertificateError.self) { try Edge(settings) }
        }
    }
}
