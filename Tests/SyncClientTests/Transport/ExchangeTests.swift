import Foundation
import NIOCore
import SyncTransport
import Synchronization
import Testing

@testable import SyncURLSession

/// What both transports send, and how they read what comes bit by bit.
@Suite(.timeLimit(.minutes(20))) struct ExchangeTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"

    /// The request line, and the headers that a server can see a difference by.
    private func parts(_ request: String) -> (line: String, headers: [String: String], body: String) {
        let halves = request.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = halves[0].components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.components(separatedBy: ": ")
            headers[pair[0].lowercased()] = pair.dropFirst().joined(separator: ": ")
        }
        for name in ["host", "connection", "accept-language"] { headers[name] = nil }
        return (lines[0], headers, halves.count > 1 ? String(halves[1]) : "")
    }

    @Test(arguments: HTTPLibrary.allCases) func bothSendTheSame(library: HTTPLibrary) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            let request = TransportRequest(
                method: .post, url: server.url + "sync/?a=%7B%22b%22&c=d", headers: ["Authorization": "Bearer t"],
                body: Data("{}".utf8), timeout: .seconds(60))
            async let answer = transport.send(request.with("Content-Type", "application/json").with("Accept", "a/b"))
            let peer = try await server.peer()
            var text = try await peer.request()
            if !text.hasSuffix("{}") { text += try await peer.request() }
            try await peer.send(Self.ok + "\r\nok")
            #expect(try await answer.status == 200)
            let seen = parts(text)
            #expect(seen.line == "POST /sync/?a=%7B%22b%22&c=d HTTP/1.1" && seen.body == "{}")
            let expected = [
                "accept": "a/b", "accept-encoding": "gzip", "authorization": "Bearer t",
                "content-length": "2", "content-type": "application/json", "user-agent": "tidemark-client",
            ]
            #expect(seen.headers == expected)
        }
        try await server.close()
    }

    @Test(arguments: HTTPLibrary.allCases) func aStreamIsNotZipped(library: HTTPLibrary) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            async let stream = transport.open(request(server))
            let peer = try await server.peer()
            let seen = parts(try await peer.request())
            #expect(seen.line == "GET / HTTP/1.1")
            #expect(
                seen.headers == ["accept": "a/b", "accept-encoding": "identity", "user-agent": "tidemark-client"])
            try await peer.send(Self.ok + "\r\nok")
            #expect(try await stream?.status == 200)
        }
        try await server.close()
    }

    /// The second request has neither a cookie nor anything to compare with, and it is sent.
    @Test(arguments: HTTPLibrary.allCases) func nothingIsKeptOfAnAnswer(library: HTTPLibrary) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            async let first = transport.send(request(server))
            let peer = try await server.peer()
            let asked = parts(try await peer.request())
            try await peer.send(
                Self.ok + "Set-Cookie: a=b; Path=/\r\nCache-Control: max-age=1000\r\nETag: \"e\"\r\n\r\nok")
            _ = try await first
            async let second = transport.send(request(server))
            // In any order: `URLSession` has none.
            let again = parts(try await peer.request())
            #expect(again.line == asked.line && again.headers == asked.headers)
            try await peer.send(Self.ok + "\r\nno")
            #expect(try await second.body == Data("no".utf8))
        }
        try await server.close()
    }

    @Test(arguments: HTTPLibrary.allCases) func aStreamIsReadAsItComes(library: HTTPLibrary) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            async let opened = transport.open(request(server))
            let peer = try await server.peer()
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            let stream = try #require(try await opened)
            #expect(stream.headers["content-type"] == "text/event-stream")
            let reader = Reader(stream)
            for piece in ["a", "bc", ": ping\n\n"] {
                try await peer.send(piece)
                #expect(try await reader.read(piece.utf8.count) == piece)
            }
            try await peer.close()
            #expect(try await reader.read(1) == "")
        }
        try await server.close()
    }

    @Test(arguments: HTTPLibrary.allCases) func aStreamThatIsCutIsToldAsSuch(library: HTTPLibrary) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            async let opened = transport.open(request(server))
            let peer = try await server.peer()
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
            let reader = Reader(try #require(try await opened))
            #expect(try await reader.read(1) == "a")
            try await peer.close()
            await #expect(throws: TransportError.cut) { try await reader.read(1) }
        }
        try await server.close()
    }

    @Test(arguments: HTTPLibrary.allCases) func whoStopsReadingAStreamHangsUp(library: HTTPLibrary) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            let task = Task { try await transport.open(request(server))?.status }
            let peer = try await server.peer()
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
            #expect(try await task.value == 200)
            await peer.hasLeft()
        }
        try await server.close()
    }

    @Test(arguments: HTTPLibrary.allCases, [false, true])
    func whoIsCancelledHangsUp(library: HTTPLibrary, hasAnswerBegun: Bool) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            let task = Task { try await transport.send(request(server)) }
            let peer = try await server.peer()
            _ = try await peer.request()
            if hasAnswerBegun { try await peer.send(Self.ok + "\r\no") }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await peer.hasLeft()
        }
        try await server.close()
    }

    @Test(arguments: HTTPLibrary.allCases) func aReaderThatIsCancelledHangsUp(library: HTTPLibrary) async throws {
        let server = try await DrivenServer()
        try await library.withTransport { transport in
            let (began, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                let reader = Reader(try #require(try await transport.open(request(server))))
                begin.finish()
                _ = try await reader.read(1)
            }
            let peer = try await server.peer()
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for await _ in began {}
            task.cancel()
            _ = await task.result
            await peer.hasLeft()
        }
        try await server.close()
    }

    @Test(arguments: HTTPLibrary.allCases) func manyRequestsAtOnceAreAllAnswered(library: HTTPLibrary) async throws {
        let server = try await CannedServer(Self.ok + "\r\nok")
        try await library.withTransport { transport in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { try await transport.send(request(server.url)).status } }
                for try await status in group { #expect(status == 200) }
            }
        }
        try await server.close()
    }

    /// `URLSession` reads on, whether its reader does or not. So the connection goes, not the memory.
    @Test func aStreamThatNobodyReadsIsCutAtALimit() async throws {
        let server = try await DrivenServer()
        var transport = URLSessionTransport()
        transport.streamLimit = 1 << 20
        async let opened = transport.open(request(server))
        let peer = try await server.peer()
        _ = try await peer.request()
        try await peer.send("HTTP/1.1 200 OK\r\n\r\n")
        let stream = try #require(try await opened)
        let piece = ByteBuffer(repeating: 65, count: 1 << 16)
        // Ends when the client has closed the connection.
        await #expect(throws: (any Error).self) { for _ in 0..<(1 << 14) { try await peer.send(piece) } }
        await #expect(throws: TransportError.interrupted("more came than was read")) {
            for try await _ in stream.body {}
        }
        try await transport.shutdown()
        try await server.close()
    }

    private func request(_ server: DrivenServer) -> TransportRequest { request(server.url) }

    private func request(_ url: String) -> TransportRequest {
        TransportRequest(url: url, headers: ["Accept": "a/b"], timeout: .seconds(240))
    }
}

extension TransportRequest {
    fileprivate func with(_ name: String, _ value: String) -> TransportRequest {
        var request = self
        request.headers[name] = value
        return request
    }
}

/// Reads a stream by numbers of bytes.
private final class Reader {
    private let next: () async throws -> Data?
    private var rest = Data()

    init(_ stream: TransportStream) {
        var iterator = stream.body.makeAsyncIterator()
        next = { try await iterator.next(isolation: nil) }
    }

    /// Fewer bytes at the end.
    func read(_ count: Int) async throws -> String {
        while rest.count < count, let bytes = try await next() { rest += bytes }
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }
}
