import AsyncHTTPClient
import Foundation
import NIOCore
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// Clients that do not read to the end.
@Suite struct StreamStallTests {
    private let hold = HeldDeadline()

    /// More than the socket buffers of both ends can hold.
    private func scene(streams: Int = 2) async throws -> Scene {
        var settings = SyncSettings()
        settings.streams = streams
        let scene = try await Scene(settings: settings, deadline: hold.deadline)
        try await insert("a", 160, into: scene)
        return scene
    }

    private func insert(_ prefix: String, _ count: Int, into scene: Scene) async throws {
        try await scene.insertTasks((1...count).map { "\(prefix)\($0)" }, ["notes": .string(Scene.filler(100_000))])
    }

    private func logSize(_ scene: Scene) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: scene.folder.path("t.db-wal"))[.size] as? Int ?? -1
    }

    @Test func whoDoesNotReadIsCutOffAndSeesABrokenBody() async throws {
        let scene = try await scene()
        let response = try await scene.client(.member).openStream()
        await hold.untilBlocked()
        hold.runOut()
        var bytes = 0
        await #expect(throws: (any Error).self) {
            for try await part in response.body { bytes += part.readableBytes }
        }
        #expect(bytes < 16_000_000)
    }

    @Test func theLogIsMovedOnlyBehindTheStream() async throws {
        let scene = try await scene()
        let member = try await scene.client(.member)
        let response = try await member.openStream()
        await hold.untilBlocked()
        try await insert("b", 200, into: scene)
        #expect(try logSize(scene) > 16 << 20)
        hold.runOut()
        await #expect(throws: (any Error).self) { for try await _ in response.body {} }
        // A write is answered before the server looks at the log. The next write is the first in a log that was reset.
        for id in ["last", "first"] { try await scene.insertTasks([id]) }
        #expect(try logSize(scene) <= 16 << 20)
    }

    @Test func whoHangsUpEndsTheStream() async throws {
        let scene = try await scene(streams: 1)
        let member = try await scene.client(.member)
        try await hangUp(member)
        for _ in 0..<5000 {
            let whole = try await member.page(["stream": "true"])
            if whole.status == 200 { return }
            #expect(whole.code == "busy")
        }
        Issue.record("the stream that nobody reads does not end")
    }

    private func hangUp(_ client: Client) async throws {
        let response = try await client.openStream()
        await hold.untilBlocked()
        withExtendedLifetime(response) {}
    }

    @Test func largeStreamsAreLimitedAndOtherReadsGoOn() async throws {
        let scene = try await scene(streams: 1)
        let member = try await scene.client(.member)
        let head = try await member.head()
        let response = try await member.openStream()
        await hold.untilBlocked()
        let second = try await member.page(["stream": "true"])
        #expect(second.status == 503)
        #expect(second.code == "busy")
        #expect(second.header("Retry-After") == "1")
        #expect(try await member.page(["page_size": "10"]).status == 200)
        #expect(try await member.page(["stream": "true", "since": String(head)]).status == 200)
        var bytes = 0
        for try await part in response.body { bytes += part.readableBytes }
        #expect(bytes > 16_000_000)
        #expect(try await member.page(["stream": "true"]).status == 200)
    }
}
