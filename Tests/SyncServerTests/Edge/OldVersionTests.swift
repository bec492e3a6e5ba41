import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// HTTP/1.0, as plain checks of load balancers and old proxies speak it: RFC 9112 sections 3.2, 6.1 and 9.3.
@Suite(.timeLimit(.minutes(30))) struct OldVersionTests {
    private func answer(_ scene: Scene, _ text: String) async throws -> (head: String, body: String) {
        let connection = try await RawConnection(scene.server)
        await connection.send(text)
        let answer = await connection.receivedUntilTheEnd()
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0].lowercased(), parts.count > 1 ? String(parts[1]) : "")
    }

    /// HAProxy's `option httpchk GET /ready/` sends exactly the first of these.
    @Test(arguments: ["", "Host: a\r\n", "Connection: keep-alive\r\n", "Host: a\r\nExpect: 100-continue\r\n"])
    func aCheckIsAnsweredAndTheConnectionCloses(headers: String) async throws {
        let (head, body) = try await answer(try await Scene(), "GET /ready/ HTTP/1.0\r\n\(headers)\r\n")
        #expect(head.hasPrefix("http/1.0 200 "), "\(head)")
        #expect(head.contains("\r\nconnection: close"), "\(head)")
        #expect(body.contains("\"ready\""))
    }

    @Test(arguments: ["Host: a, b\r\n", "Host:\r\n", "Host: a\r\nHost: b\r\n"])
    func aHostThatIsThereMustBeOne(headers: String) async throws {
        let (head, body) = try await answer(try await Scene(), "GET /ready/ HTTP/1.0\r\n\(headers)\r\n")
        #expect(head.hasPrefix("http/1.0 400 "), "\(head)")
        #expect(body.contains("invalid_host"))
    }

    /// A name that nobody gave opens nothing.
    @Test func metricsAreForWhoNamesThisMachine() async throws {
        let scene = try await Scene()
        let (head, _) = try await answer(scene, "GET /metrics HTTP/1.0\r\n\r\n")
        #expect(head.hasPrefix("http/1.0 403 "), "\(head)")
        let (named, _) = try await answer(scene, "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
        #expect(named.hasPrefix("http/1.0 200 "), "\(named)")
    }

    @Test func aStreamComesWithoutChunks() async throws {
        let scene = try await Scene()
        let notes = JSON.string(Scene.filler(20_000))
        try await scene.insertTasks((1...50).map { "t\($0)" }, ["notes": notes])
        let token = try #require(try await scene.client(.member).token)
        let request = "GET /projects/p1/sync/?since=0&stream=true HTTP/1.0\r\nAuthorization: Bearer \(token)\r\n\r\n"
        let (head, body) = try await answer(scene, request)
        #expect(head.hasPrefix("http/1.0 200 "), "\(head)")
        #expect(!head.contains("transfer-encoding"))
        let json = try JSON(parsing: body)
        #expect(json["changes"]?["tasks"]?["updated"]?.array?.count == 50)
    }

    @Test func eventsComeWithoutChunks() async throws {
        let scene = try await Scene()
        let token = try #require(try await scene.client(.member).token)
        let connection = try await RawConnection(scene.server)
        await connection.send("GET /events/ HTTP/1.0\r\nAuthorization: Bearer \(token)\r\n\r\n")
        let begin = await connection.received(until: "\n\n")
        #expect(begin.hasPrefix("HTTP/1.0 200 ") && !begin.lowercased().contains("transfer-encoding"), "\(begin)")
    }

    @Test func aBodyIsTaken() async throws {
        let scene = try await Scene()
        let token = try #require(try await scene.client(.member).token)
        let text = Batch.empty.text
        let (head, body) = try await answer(
            scene,
            "POST /projects/p1/sync/ HTTP/1.0\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        #expect(head.hasPrefix("http/1.0 200 ") && body.contains("applied"), "\(head)")
    }

    /// What follows would come in one answer that ends with the connection.
    @Test func nothingIsAnsweredAfterIt() async throws {
        let first = "GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n"
        let old = "GET /health/ HTTP/1.0\r\n\r\n"
        let connection = try await RawConnection(try await Scene().server)
        await connection.send(first + old + first + old)
        let answers = await connection.receivedUntilTheEnd()
        #expect(answers.components(separatedBy: "alive").count == 3, "\(answers)")
        #expect(answers.hasPrefix("HTTP/1.1 200 ") && answers.contains("HTTP/1.0 200 "))
    }

    @Test func everyAnswerSaysThatItsTypeIsToBeTakenAsItIs() async throws {
        let scene = try await Scene()
        let requests = [
            "GET /health/ HTTP/1.1\r\nHost: a\r\n", "GET /nope HTTP/1.1\r\nHost: a\r\n", "GET /health/ HTTP/1.1\r\n",
            "PUT /health/ HTTP/1.1\r\nHost: a\r\n", "GET /docs/ HTTP/1.1\r\nHost: a\r\n", "GARBAGE\r\n",
            "HEAD /console/ HTTP/1.1\r\nHost: a\r\n", "GET /health/ HTTP/1.0\r\n",
        ]
        for request in requests {
            let (head, _) = try await answer(scene, request + "Connection: close\r\n\r\n")
            #expect(head.components(separatedBy: "x-content-type-options: nosniff").count == 2, "\(request): \(head)")
        }
    }
}
