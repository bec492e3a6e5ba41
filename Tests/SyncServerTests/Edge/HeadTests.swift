import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Requests that are refused because of their head.
@Suite(.timeLimit(.minutes(30))) struct HeadTests {
    /// What the server answers to this, until it closes the connection or has sent `mark`.
    private func answer(to text: String, until mark: String = "\"type\"") async throws -> String {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send(text)
        return await connection.received(until: mark)
    }

    private func expectProblem(_ answer: String, _ status: Int, _ code: String) {
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.lowercased().contains("content-type: application/problem+json\r\n"), "\(answer)")
        #expect(answer.contains("\"code\":\"\(code)\""), "\(answer)")
    }

    @Test(arguments: [
        "", "Host: a\r\nHost: b\r\n", "Host: a\r\nhost: a\r\n", "Host:\r\n", "Host: a, b\r\n", "Host: a/b\r\n",
        "Host: user@a\r\n",
    ])
    func aHostThatIsNotOneNameIsRefused(headers: String) async throws {
        expectProblem(try await answer(to: "GET /health/ HTTP/1.1\r\n\(headers)\r\n"), 400, "invalid_host")
    }

    @Test(arguments: ["a", "a:8080", "127.0.0.1:1", "[::1]:8080", "plan_server.example.org"])
    func aHostIsTaken(host: String) async throws {
        let answer = try await answer(to: "GET /health/ HTTP/1.1\r\nHost: \(host)\r\n\r\n", until: "alive")
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }

    @Test(arguments: [8193, 40_000, 79_000]) func aLongPathIsRefused(bytes: Int) async throws {
        let path = "/health/?" + String(repeating: "x", count: bytes - 9)
        expectProblem(try await answer(to: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"), 414, "uri_too_long")
    }

    @Test func aPathOfEightKilobytesIsTaken() async throws {
        let path = "/health/?" + String(repeating: "x", count: 8183)
        let answer = try await answer(to: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", until: "alive")
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }

    @Test(arguments: [33_000, 64_000, 200_000]) func largeHeadersAreRefused(bytes: Int) async throws {
        let value = String(repeating: "x", count: bytes)
        let answer = try await answer(to: "GET /health/ HTTP/1.1\r\nHost: a\r\nCookie: \(value)\r\n\r\n")
        expectProblem(answer, 400, "headers_too_large")
    }

    @Test func tenThousandHeadersAreRefused() async throws {
        let headers = (0..<10_000).map { "X-\($0): y\r\n" }.joined()
        let answer = try await answer(to: "GET /health/ HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
        expectProblem(answer, 400, "headers_too_large")
    }

    /// The server decodes chunks, but no other transfer coding.
    @Test(arguments: ["gzip, chunked", "GZIP,chunked", "deflate, chunked"])
    func aCompressedTransferIsRefused(coding: String) async throws {
        let head = "POST /auth/token/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        expectProblem(try await answer(to: head + "1\r\nx\r\n0\r\n\r\n"), 501, "unsupported_transfer_encoding")
    }

    @Test func chunksAreTakenWhateverTheirCase() async throws {
        let head = "POST /auth/token/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
        expectProblem(try await answer(to: head + "1\r\nx\r\n0\r\n\r\n"), 400, "invalid_json")
    }

    @Test func requestsThatComeAllAtOnceAreAllAnswered() async throws {
        let connection = try await RawConnection(try await Scene().server)
        let request = "GET /health/ HTTP/1.1\r\nHost: a\r\n"
        let last = request + "Connection: close\r\n\r\n"
        await connection.send(String(repeating: request + "\r\n", count: 1999) + last)
        let answers = await connection.receivedUntilTheEnd()
        #expect(answers.components(separatedBy: "alive").count == 2001)
    }

    @Test(arguments: [
        "GARBAGE\r\n\r\n", "GET / HTTP/3.7\r\n\r\n", "GET /health/ HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n",
    ])
    func whatIsNoRequestIsRefusedAndTheConnectionClosed(text: String) async throws {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send(text)
        let answer = await connection.receivedUntilTheEnd()
        expectProblem(answer, 400, "malformed_request")
        #expect(answer.lowercased().contains("connection: close\r\n"))
    }

    @Test func whatFollowsARequestAndIsNoneIsAnsweredInItsTurn() async throws {
        let connection = try await RawConnection(try await Scene().server)
        await connection.send("GET /health/ HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\n")
        let answers = await connection.receivedUntilTheEnd()
        #expect(answers.hasPrefix("HTTP/1.1 200 "), "\(answers)")
        #expect(answers.contains("malformed_request"))
    }
}
