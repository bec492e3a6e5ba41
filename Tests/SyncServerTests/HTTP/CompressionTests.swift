import SyncProtocol
import SyncTestKit
import Testing

/// `Accept-Encoding`.
@Suite struct CompressionTests {
    private func scene() async throws -> (Scene, Client) {
        let scene = try await Scene()
        try await scene.insertTasks((1...50).map { "t\($0)" })
        return (scene, try await scene.client(.viewer))
    }

    @Test(arguments: ["gzip", "GZIP", "deflate, gzip;q=0.5", "br, *", "*;q=0.1", "gzip;q=1.0, identity; q=0"])
    func gzipIsUsedWhereItIsTaken(accepted: String) async throws {
        let (_, viewer) = try await scene()
        let plain = try await viewer.page()
        let packed = try await viewer.page(headers: ["Accept-Encoding": accepted])
        #expect(packed.header("Content-Encoding") == "gzip")
        #expect(packed.body.starts(with: [0x1F, 0x8B]))
        #expect(packed.body.count * 3 < plain.body.count)
        #expect(packed.header("Content-Length") == String(packed.body.count))
    }

    @Test func theUnpackedBodyIsThePlainOne() async throws {
        let (_, viewer) = try await scene()
        let unpacked = try await viewer.page(headers: ["Accept-Encoding": "gzip"], unpacks: true)
        #expect(unpacked.body == (try await viewer.page()).body)
    }

    @Test(arguments: ["gzip;q=0", "*;q=0", "gzip; q=0, *", "identity", "deflate, br", ""])
    func gzipIsNotUsedWhereItIsRefused(accepted: String) async throws {
        let (_, viewer) = try await scene()
        let answer = try await viewer.page(headers: ["Accept-Encoding": accepted])
        #expect(answer.header("Content-Encoding") == nil)
        #expect(answer.at("/timestamp") != nil)
    }

    @Test func bothFormsSayWhatTheyVaryWith() async throws {
        let (_, viewer) = try await scene()
        #expect(try await viewer.page().header("Vary") == "Accept-Encoding")
        let packed = try await viewer.page(headers: ["Accept-Encoding": "gzip"])
        #expect(packed.header("Vary") == "Accept-Encoding")
    }
}
