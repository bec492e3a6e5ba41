import Foundation
import SyncTransport
import Testing

/// Both transports against canned answers on loopback.
@Suite(.timeLimit(.minutes(20))) struct TransportTests {
    private func send(
        _ library: HTTPLibrary, to server: CannedServer, limit: Int = 1 << 20, timeout: Duration = .seconds(20)
    ) async throws -> TransportResponse {
        let result: Result<TransportResponse, any Error>
        do {
            result = .success(
                try await library.withTransport(bodyLimit: limit) {
                    try await $0.send(TransportRequest(url: server.url, timeout: timeout))
                })
        } catch {
            result = .failure(error)
        }
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

    @Test(arguments: HTTPLibrary.allCases)
    func answersOfAnyStatusComeWithHeadersInLowerCase(library: HTTPLibrary) async throws {
        let server = try await CannedServer("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno")
        let response = try await send(library, to: server)
        #expect(
            response.status == 503 && response.headers["retry-after"] == "7" && response.body == Data("no".utf8))
    }

    @Test(arguments: HTTPLibrary.allCases) func gzipIsInflated(library: HTTPLibrary) async throws {
        let response = try await send(library, to: zippedServer())
        #expect(response.body.count == 2013)
    }

    @Test(arguments: HTTPLibrary.allCases) func inflatedBodyHasALimit(library: HTTPLibrary) async throws {
        await #expect(throws: TransportError.bodyTooLarge(limit: 100)) {
            try await send(library, to: zippedServer(), limit: 100)
        }
    }

    @Test(arguments: HTTPLibrary.allCases) func plainBodyHasALimit(library: HTTPLibrary) async throws {
        let server = try await CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        await #expect(throws: TransportError.bodyTooLarge(limit: 4)) {
            try await send(library, to: server, limit: 4)
        }
    }

    @Test(arguments: HTTPLibrary.allCases, [301, 302, 303, 307, 308])
    func redirectsAreNotFollowed(library: HTTPLibrary, status: Int) async throws {
        let server = try await CannedServer(
            "HTTP/1.1 \(status) Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\nno")
        let response = try await send(library, to: server)
        #expect(response.status == status && response.headers["location"] == "http://127.0.0.1:1/")
        #expect(response.body == Data("no".utf8))
    }

    /// A 401 is an answer, whatever it asks for.
    @Test(
        arguments: HTTPLibrary.allCases, ["Bearer realm=\"t\"", "Basic realm=\"t\"", "Digest realm=\"t\", nonce=\"1\""])
    func noPasswordIsAskedFor(library: HTTPLibrary, way: String) async throws {
        let server = try await CannedServer(
            "HTTP/1.1 401 No\r\nWWW-Authenticate: \(way)\r\nContent-Length: 2\r\n\r\nno")
        let response = try await send(library, to: server)
        #expect(response.status == 401 && response.body == Data("no".utf8))
    }

    @Test(arguments: HTTPLibrary.allCases) func interimResponsesAreNoAnswer(library: HTTPLibrary) async throws {
        let server = try await CannedServer(
            "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let response = try await send(library, to: server)
        #expect(response.status == 200 && response.body == Data("ok".utf8))
    }

    @Test(arguments: HTTPLibrary.allCases) func silenceEndsWithTheTimeout(library: HTTPLibrary) async throws {
        let server = try await CannedServer("")
        await #expect(throws: TransportError.timeout) {
            try await send(library, to: server, timeout: .milliseconds(50))
        }
    }

    @Test(arguments: HTTPLibrary.allCases)
    func bodyThatNeverEndsMeetsTheTimeoutToo(library: HTTPLibrary) async throws {
        let server = try await CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello")
        await #expect(throws: TransportError.timeout) {
            try await send(library, to: server, timeout: .milliseconds(200))
        }
    }

    @Test(
        arguments: HTTPLibrary.allCases,
        ["Content-Length: 99\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"])
    func cutBodyIsAnInterruption(library: HTTPLibrary, rest: String) async throws {
        let server = try await CannedServer("HTTP/1.1 200 OK\r\n" + rest, closes: true)
        await #expect { try await send(library, to: server) } throws: { error in
            if case .interrupted = error as? TransportError { true } else { false }
        }
    }

    @Test(arguments: HTTPLibrary.allCases, ["127.0.0.1", "localhost", "no-such-host.invalid"])
    func missingServerIsUnreachable(library: HTTPLibrary, host: String) async throws {
        let server = try await CannedServer("")
        try await server.close()
        let url = server.url.replacing("127.0.0.1", with: host)
        await #expect {
            try await library.withTransport {
                try await $0.send(TransportRequest(url: url, timeout: .seconds(20)))
            }
        } throws: { error in
            if case .unreachable = error as? TransportError { true } else { false }
        }
    }

    @Test(arguments: HTTPLibrary.allCases, ["nowhere", "http://", "ftp://127.0.0.1/", ""])
    func badURLIsToldAsSuch(library: HTTPLibrary, url: String) async throws {
        await #expect {
            try await library.withTransport {
                try await $0.send(TransportRequest(url: url, timeout: .seconds(20)))
            }
        } throws: { error in
            if case .invalidURL = error as? TransportError { true } else { false }
        }
    }

    @Test(arguments: HTTPLibrary.allCases) func aTransportThatWasShutDownSaysSo(library: HTTPLibrary) async throws {
        let server = try await CannedServer("")
        let transport = try await library.withTransport { $0 }
        await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest(url: server.url, timeout: .seconds(20)))
        }
        try await server.close()
    }
}
