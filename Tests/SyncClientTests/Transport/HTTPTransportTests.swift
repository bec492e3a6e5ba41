import Foundation
import Testing

@testable import SyncClient

/// AsyncHTTPClient against canned answers on loopback.
@Suite struct HTTPTransportTests {
    private func send(
        to server: CannedServer, limit: Int = 1 << 20, timeout: Duration = .seconds(20)
    ) async throws -> TransportResponse {
        let transport = HTTPTransport(bodyLimit: limit)
        let result: Result<TransportResponse, any Error>
        do {
            result = .success(try await transport.send(TransportRequest(url: server.url, timeout: timeout)))
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        try await server.close()
        return try result.get()
    }

    /// `{"answer":"a…a"}`, 2013 bytes long.
    private static let zipped = Array(
        Data(
            base64Encoded: "H4sIAAAAAAACA6tWSswrLk8tUrJSShwFo2AUjIJRMApGwZAHSrUAqm1g0d0HAAA=")
            ?? Data())

    private func zippedServer() async throws -> CannedServer {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(Self.zipped.count)\r\n\r\n"
        return try await CannedServer(Array(head.utf8) + Self.zipped)
    }

    @Test func answersOfAnyStatusComeWithHeadersInLowerCase() async throws {
        let server = try await CannedServer("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno")
        let response = try await send(to: server)
        #expect(response.status == 503 && response.retryAfter == .seconds(7) && response.body == Data("no".utf8))
    }

    @Test func gzipIsInflated() async throws {
        let response = try await send(to: zippedServer())
        #expect(response.body.count == 2013)
    }

    @Test func inflatedBodyHasALimit() async throws {
        await #expect(throws: TransportError.bodyTooLarge(limit: 100)) {
            try await send(to: zippedServer(), limit: 100)
        }
    }

    @Test func plainBodyHasALimit() async throws {
        let server = try await CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        await #expect(throws: TransportError.bodyTooLarge(limit: 4)) { try await send(to: server, limit: 4) }
    }

    @Test func redirectsAreNotFollowed() async throws {
        let server = try await CannedServer(
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
        #expect(try await send(to: server).status == 302)
    }

    @Test func silenceEndsWithTheTimeout() async throws {
        let server = try await CannedServer("")
        await #expect(throws: TransportError.timeout) { try await send(to: server, timeout: .milliseconds(50)) }
    }

    @Test func bodyThatNeverEndsMeetsTheTimeoutToo() async throws {
        let server = try await CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello")
        await #expect(throws: TransportError.timeout) { try await send(to: server, timeout: .milliseconds(200)) }
    }

    @Test func cutBodyIsAnInterruption() async throws {
        let server = try await CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello", closes: true)
        await #expect { try await send(to: server) } throws: { error in
            if case .interrupted = error as? TransportError { true } else { false }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "no-such-host.invalid"])
    func missingServerIsUnreachable(host: String) async throws {
        let server = try await CannedServer("")
        try await server.close()
        let url = server.url.replacing("127.0.0.1", with: host)
        let transport = HTTPTransport()
        await #expect {
            try await transport.send(TransportRequest(url: url, timeout: .seconds(20)))
        } throws: { error in
            if case .unreachable = error as? TransportError { true } else { false }
        }
        try await transport.shutdown()
    }

    @Test func badURLIsToldAsSuch() async throws {
        let transport = HTTPTransport()
        await #expect {
            try await transport.send(TransportRequest(url: "nowhere", timeout: .seconds(20)))
        } throws: { error in
            if case .invalidURL = error as? TransportError { true } else { false }
        }
        try await transport.shutdown()
    }
}
