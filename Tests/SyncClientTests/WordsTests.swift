import Foundation
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// What a person reads when something goes wrong: what happened and what to do, without words of the libraries below.
@Suite(.timeLimit(.minutes(10))) struct WordsTests {
    private func sentence(
        _ library: HTTPLibrary, _ bytes: String?, closes: Bool = false, url: String? = nil
    ) async throws -> String {
        let server = try await CannedServer(bytes ?? "", closes: closes)
        if bytes == nil { try await server.close() }
        let request = TransportRequest(url: url ?? server.url, timeout: .seconds(60))
        var sentence = ""
        do { _ = try await library.withTransport { try await $0.send(request) } } catch { sentence = "\(error)" }
        if bytes != nil { try await server.close() }
        return sentence
    }

    @Test(
        arguments: HTTPLibrary.allCases,
        [
            (nil, false, "The server can't be reached: the connection was refused."),
            (
                "", true,
                "The connection broke: the server closed it without an answer. If it speaks HTTPS, use `https://`."
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", true, "The connection broke: the answer was cut."),
            ("SSH-2.0-OpenSSH_9.2\r\n", false, "The connection broke: the response is not HTTP."),
            ("HTTP/1.1 20x OK\r\n\r\n", false, "The connection broke: the response is not HTTP."),
            (
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", false,
                "The connection broke: the answer can't be decompressed."
            ),
        ] as [(String?, Bool, String)])
    func aBrokenExchangeIsToldInOurWords(
        library: HTTPLibrary, broken: (bytes: String?, closes: Bool, expected: String)
    ) async throws {
        #expect(try await sentence(library, broken.bytes, closes: broken.closes) == broken.expected)
    }

    @Test(arguments: HTTPLibrary.allCases) func anUnknownHostIsNamed(library: HTTPLibrary) async throws {
        let seen = try await sentence(library, "", url: "http://no-such-host.invalid/")
        #expect(seen == "The server can't be reached: no host named no-such-host.invalid was found.")
    }

    @Test(arguments: HTTPLibrary.allCases)
    func aServerThatTakesARequestAndSaysNothingIsToldOfEarly(library: HTTPLibrary) async throws {
        let server = try await CannedServer("")
        let (silences, silent) = AsyncStream.makeStream(of: Void.self)
        try await library.withTransport(silence: .milliseconds(1), onSilence: { silent.yield() }) { transport in
            let request = Task {
                try await transport.send(TransportRequest(url: server.url, timeout: .seconds(600)))
            }
            var seen = silences.makeAsyncIterator()
            #expect(await seen.next() != nil)
            request.cancel()
            _ = await request.result
        }
        try await server.close()
    }

    private func words(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") -> String {
        switch Verdict(TransportResponse(status: status, headers: headers, body: Data(body.utf8))) {
        case .retry(_, let reason): reason
        case .refuse(let error): "\(error)"
        default: ""
        }
    }

    @Test func anAnswerOfAnotherProgramIsToldAsSuch() {
        let notFound = words(404, ["Content-Type": "text/html"], "<html>")
        #expect(notFound.contains("not Tidemark") && notFound.contains("404") && notFound.contains("Check the address"))
        let moved = words(301, ["Location": "https://b.example/"])
        #expect(moved.contains("https://b.example/") && moved.contains("Redirects are not followed"))
        #expect(words(200, ["Content-Type": "text/html; charset=utf-8"], "<html>").contains("it sent text/html."))
        #expect(words(200, ["Content-Type": "application/json"], "[1,").contains("was cut"))
        #expect(words(502, [:], "<html>").contains("or a proxy in front of it, answered with status 502"))
    }

    @Test(arguments: ["127.0.0.1:8080", "ftp://h", "", "http://"])
    func whatIsNoAddressIsShownWithAnExample(url: String) {
        let error = #expect(throws: SyncError.self) { try Remote(url: url, project: "p", token: "t") }
        let words = "`\(url)` is not the address of a server. Write it like `https://tidemark.example.org`."
        #expect(error?.description == words)
    }

    @Test func whatIsNoProjectIsTold() {
        let error = #expect(throws: SyncError.self) { try Remote(url: "http://h", project: "a/b", token: "t") }
        #expect(error == .invalidProject("a/b"))
    }

    // MARK: Replicas

    @Test func aReplicaThatCanNotBeIsToldWhy() throws {
        let scratch = try Scratch()
        let missing = #expect(throws: ReplicaError.self) { try Replica(path: "/no/such/r", project: "p") }
        #expect(missing?.description == "/no/such/r can't be used: there is no such folder.")
        let folder = #expect(throws: ReplicaError.self) { try Replica(path: scratch.folder, project: "p") }
        #expect(folder?.description == "\(scratch.folder) can't be used: it is a folder.")
        #expect(!FileManager.default.fileExists(atPath: scratch.folder + "-lock"))
        try Data("hello".utf8).write(to: URL(filePath: scratch.path))
        #expect(throws: ReplicaError.notAReplica(path: scratch.path)) { try scratch.replica() }
    }

    @Test func whatIsWrongInsideAReplicaIsNotSQLitesText() throws {
        let scratch = try Scratch()
        let replica = try scratch.replicaWithTables()
        try replica.edit("DROP TABLE _refused")
        #expect(throws: ReplicaError.damaged(path: scratch.path)) { try replica.refused() }
    }

    @Test func waitsAreToldWithTheirReasons() async throws {
        let scene = try await PushScene()
        let isFirst = Mutex(true)
        let transport = HookedTransport(scene.server) { _, answer in
            if isFirst.withLock({ value in
                defer { value = false }; return value
            }) {
                throw TransportError.unreachable("down")
            }
            return answer
        }
        var seen: [SyncProgress] = []
        _ = try await scene.syncer(transport).pull { seen.append($0) }
        #expect(seen.first == .waiting(SyncTrouble(.unreachable("down"))))
        guard case .pulled = seen.last else {
            Issue.record("no page is told of")
            return
        }
    }
}
