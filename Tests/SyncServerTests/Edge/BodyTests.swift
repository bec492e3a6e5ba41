import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Bodies that the server does not want, and clients that ask first.
@Suite(.timeLimit(.minutes(30))) struct BodyTests {
    private let batch = Batch.empty.text

    private func head(_ headers: String..., token: String? = nil, path: String = "/projects/p1/sync/") -> String {
        let all =
            ["POST \(path) HTTP/1.1", "Host: a"] + headers + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        return all.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test(arguments: ["1099511627776", "16777217", "18446744073709551615"])
    func aLengthAboveTheLimitIsRefusedWithoutABody(length: String) async throws {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send(head("Content-Length: \(length)"))
        let answer = await connection.received(until: "\"type\"")
        #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
        #expect(answer.contains("\"body_too_large\""))
        #expect(answer.contains("\"limit\":16777216"))
    }

    @Test func aChunkedBodyAboveTheLimitIsRefusedAtTheLimit() async throws {
        let scene = try await Scene()
        let token = try await scene.client(.member).token
        let connection = try await RawConnection(scene.server)
        await connection.send(head("Transfer-Encoding: chunked", token: token))
        let chunk = "100000\r\n" + String(repeating: " ", count: 1 << 20) + "\r\n"
        for _ in 0..<17 { await connection.send(chunk) }
        let answer = await connection.receivedUntilTheEnd()
        #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func aHugeBodyThatIsRefusedIsNotReadToItsEnd() async throws {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send(head("Content-Length: 1099511627776"))
        let answer = await connection.receivedUntilTheEnd()
        #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
        #expect(answer.lowercased().contains("connection: close"))
    }

    /// The server does not read an endless body to its end either.
    @Test(arguments: [401, 404]) func anAnswerBeforeALongBodyEndsTheConnection(status: Int) async throws {
        let scene = try await Scene()
        let connection = try await RawConnection(scene.server)
        let path = status == 404 ? "/nope" : "/projects/p1/sync/"
        await connection.send(head("Transfer-Encoding: chunked", path: path) + "5\r\nabcde\r\n")
        let answer = await connection.receivedUntilTheEnd()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func anAnswerBeforeAShortBodyLeavesTheConnectionUsable() async throws {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send(head("Content-Length: \(batch.utf8.count)"))
        let refusal = await connection.received(until: "unauthorized")
        #expect(refusal.hasPrefix("HTTP/1.1 401 "), "\(refusal)")
        #expect(!refusal.lowercased().contains("connection: close"))
        await connection.send(batch + "GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await connection.received(until: "alive").contains("HTTP/1.1 200 "))
    }

    @Test func whoAsksFirstIsToldToContinueAndAnswered() async throws {
        let scene = try await Scene()
        let token = try await scene.client(.member).token
        let connection = try await RawConnection(scene.server)
        await connection.send(head("Content-Length: \(batch.utf8.count)", "Expect: 100-continue", token: token))
        #expect(await connection.received(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        await connection.send(batch)
        let answer = await connection.received(until: "applied")
        #expect(answer.contains("HTTP/1.1 200 "), "\(answer)")
        await connection.send("GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await connection.received(until: "alive").contains("alive"))
    }

    @Test(arguments: [
        ("Content-Length: 17000000", 413), ("Content-Length: 100", 401), ("Transfer-Encoding: chunked", 401),
    ])
    func whoAsksFirstAndIsRefusedIsNotToldToContinue(length: String, status: Int) async throws {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send(head(length, "Expect: 100-continue"))
        let answer = await connection.receivedUntilTheEnd()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test(arguments: ["close", "Close", "keep-alive, close"]) func whoAsksForTheEndGetsIt(option: String) async throws {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send("GET /health/ HTTP/1.1\r\nHost: a\r\nConnection: \(option)\r\n\r\n")
        let answer = await connection.receivedUntilTheEnd()
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(answer.hasSuffix("{\"status\":\"alive\"}"))
    }

    /// `urllib` sends the whole body before it reads the answer.
    @Test func whoSendsAllOfAHugeBodyBeforeReadingGetsTheAnswer() async throws {
        let connection = try await RawConnection(try await Scene().server, readsOnDemand: true)
        await connection.send(head("Content-Length: 20971520", "Connection: close"))
        for _ in 0..<20 { await connection.send(String(repeating: " ", count: 1 << 20)) }
        await connection.startReading()
        #expect(await connection.receivedUntilTheEnd().hasPrefix("HTTP/1.1 413 "))
    }
}
