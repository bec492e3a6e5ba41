import Foundation
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// The id of a request, in refusals and in the log.
@Suite struct RequestIDTests {
    @Test func anAnswerThatSaysNoCarriesTheClientsOwnID() async throws {
        let scene = try await Scene()
        let headers = ["X-Request-Id": "phone-7.42_a"]
        for path in ["/nope", "/api/v1/projects/p1/sync/"] {
            #expect(
                try await scene.stranger.send("GET", path, headers: headers).header("X-Request-Id") == "phone-7.42_a")
        }
        #expect(try await scene.stranger.send("GET", "/health", headers: headers).header("X-Request-Id") == nil)
    }

    @Test(arguments: ["", "a b", "a\"b", "a{b}", "ä", String(repeating: "x", count: 129)])
    func anUnsoundIDIsReplaced(id: String) async throws {
        let scene = try await Scene()
        let seen = try await (0..<2).asyncMap { _ in
            try await scene.stranger.send("GET", "/nope", headers: ["X-Request-Id": id]).header("X-Request-Id")
        }
        #expect(seen.allSatisfy { $0?.isEmpty == false && $0 != id })
        #expect(seen[0] != seen[1])
    }

    @Test func aFaultIsInTheLogUnderTheIDThatTheClientGets() async throws {
        let (scene, log) = (try await Scene(), CapturedLog())
        let server = try await TestServer(
            FaultyStore(scene.bench.store, failingCall: 8), scene.registry, in: scene.folder,
            clock: scene.clock.wallClock, logger: log.logger(LogSettings()))
        let token = try await scene.client(.member).token
        let member = Client(server: server, project: "p1", token: token)
        let answer = try await member.upload(created: [["id": "t1", "name": "A"]])
        #expect(answer.status == 500)
        #expect(answer.code == "internal_error")
        let id = try #require(answer.header("X-Request-Id"))
        #expect(answer.at("/request_id") == .string(id))
        #expect(log.lines.count == 1)
        let line = try #require(log.lines.first)
        #expect(line.contains(" error "))
        #expect(line.contains("request_id=\(id)"))
        #expect(line.contains("/projects/{project}/sync/"))
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
