import Foundation
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// The sentences that all clients share, by cause.
private let words: [String: String] = {
    let file = URL(filePath: #filePath).appending(path: "../../Vectors/trouble.json").standardizedFileURL
    let json = (try? Data(contentsOf: file)).flatMap { try? JSON(parsing: $0) }
    return (json?.object ?? [:]).compactMapValues(\.string)
}()

/// What a person reads when something goes wrong: what happened and what to do, without words of the libraries below.
@Suite(.timeLimit(.minutes(30))) struct WordsTests {
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
            (nil, false, words["refused"]), ("", true, words["no_answer"]),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", true, words["cut"]),
            ("SSH-2.0-OpenSSH_9.2\r\n", false, words["not_http"]),
            ("HTTP/1.1 20x OK\r\n\r\n", false, words["not_http"]),
            (
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", false,
                "The connection broke: the answer can't be decompressed."
            ),
        ] as [(String?, Bool, String?)])
    func aBrokenExchangeIsToldInOurWords(
        library: HTTPLibrary, broken: (bytes: String?, closes: Bool, expected: String?)
    ) async throws {
        #expect(try await sentence(library, broken.bytes, closes: broken.closes) == broken.expected)
    }

    @Test(arguments: [
        ("no_route", TransportError.noRoute), ("offline", .offline), ("no_tls", .noTLS), ("timeout", .timeout),
        ("certificate_expired", .untrusted(.expired(on: ""))),
        ("certificate_not_yet_valid", .untrusted(.notYetValid(until: ""))),
        ("certificate_unknown_issuer", .untrusted(.unknownIssuer)),
        ("certificate_other_name", .untrusted(.otherName([]))),
    ])
    func theWordsAreThoseOfAllClients(key: String, error: TransportError) { #expect("\(error)" == words[key]) }

    @Test func whoeverRunsAProxyThatHoldsBackEventsReadsWhatToSet() {
        #expect("\(WaitReason.heldBack)" == words["events_held_back"])
    }

    @Test(arguments: HTTPLibrary.allCases) func anUnknownHostIsNamed(library: HTTPLibrary) async throws {
        let seen = try await sentence(library, "", url: "http://no-such-host.invalid/")
        #expect(seen == words["unknown_host"])
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

    private func told(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") -> String {
        switch Verdict(TransportResponse(status: status, headers: headers, body: Data(body.utf8))) {
        case .retry(_, let reason): reason
        case .refuse(let error): "\(error)"
        default: ""
        }
    }

    @Test func anAnswerOfAnotherProgramIsToldAsSuch() {
        let notFound = told(404, ["Content-Type": "text/html"], "<html>")
        #expect(notFound.contains("not Tidemark") && notFound.contains("404") && notFound.contains("Check the address"))
        let moved = told(301, ["Location": "https://b.example/"])
        #expect(moved.contains("https://b.example/") && moved.contains("Redirects are not followed"))
        #expect(told(200, ["Content-Type": "text/html; charset=utf-8"], "<html>").contains("it sent text/html."))
        #expect(told(200, ["Content-Type": "application/json"], "[1,").contains("was cut"))
        #expect(told(502, [:], "<html>").contains("or a proxy in front of it, answered with status 502"))
    }

    /// A sync with what answers so, over a real socket.
    private func syncing(
        _ library: HTTPLibrary, _ bytes: String, token: String = "t", ahead: Duration = .zero
    ) async throws -> String {
        let (server, scratch) = (try await CannedServer(bytes, closes: true), try Scratch())
        var environment = ManualClock().environment()
        environment.wallClock = { Instant(milliseconds: Instant.test.milliseconds + Int64(ahead / .milliseconds(1))) }
        var sentence = ""
        do {
            try await library.withTransport { transport in
                let syncer = try Syncer(
                    remote: Remote(url: server.url, scope: .allProjects, token: token), transport: transport,
                    replica: try Replica(path: scratch.path, scope: .allProjects), environment: environment)
                _ = try await syncer.sync()
            }
        } catch { sentence = "\(error)" }
        try await server.close()
        return sentence
    }

    private static func answer(_ status: String, _ type: String, _ body: String, _ more: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)"
    }

    @Test(
        arguments: HTTPLibrary.allCases,
        [
            (answer("200 OK", "text/html", "<h1>Welcome</h1>"), "html"),
            (answer("200 OK", "application/json", #"{"hello": "world"}"#), "other_json"),
            (answer("404 Not Found", "text/html", "<h1>Not found</h1>"), "other_status"),
            (answer("404 Not Found", "application/json", #"{"error": "not found"}"#), "other_status"),
            (answer("502 Bad Gateway", "text/html", "<h1>Bad gateway</h1>"), "bad_gateway"),
        ])
    func aServerThatIsNoTidemarkIsToldToAPersonWhoSyncs(
        library: HTTPLibrary, other: (bytes: String, key: String)
    ) async throws {
        let seen = try await syncing(library, other.bytes)
        #expect(seen.contains(try #require(words[other.key])), "\(seen)")
    }

    @Test(arguments: HTTPLibrary.allCases) func aPageToLogInIsNamed(library: HTTPLibrary) async throws {
        let seen = try await syncing(library, Self.answer("302 Found", "text/html", "", "Location: /login\r\n"))
        #expect(
            seen.contains(
                "The server redirects, to /login. Redirects are not followed. Use the address that it redirects to; if "
                    + "that is a page to log in, log in there first."))
    }

    private static let unauthorized = #"{"code": "unauthorized", "detail": "Send a valid token."}"#

    @Test(
        arguments: HTTPLibrary.allCases,
        [
            ("not_valid_yet", 2.0, 3.0, 2), ("not_valid_any_more", -3, -1, -2), ("issued_ahead", 2, 3, 0),
            (nil, -1, 1, 0), (nil, -2, -1, 0),
        ] as [(String?, Double, Double, Int)])
    func aClockThatIsOffIsTold(
        library: HTTPLibrary, clock: (key: String?, start: Double, end: Double, ahead: Int)
    ) async throws {
        let seconds = { (hours: Double) in Double(Instant.test.milliseconds) / 1000 + hours * 3600 }
        let claims: JSON = ["nbf": .double(seconds(clock.start)), "exp": .double(seconds(clock.end))]
        let token = "e30.\(Base64URL.encode(Data(claims.text.utf8))).c2ln"
        let date = "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
        let bytes = Self.answer("401 Unauthorized", "application/problem+json", Self.unauthorized, date)
        let seen = try await syncing(library, bytes, token: token, ahead: .seconds(clock.ahead * 3600))
        #expect(seen.hasPrefix(try clock.key.map { try #require(words[$0]) } ?? "Send a valid token."), "\(seen)")
    }

    /// Whoever issues tokens may write anything into them.
    @Test(arguments: [
        (#"{"exp": 1}"#, "Send"), (#"{"exp": 1e300}"#, "Send"), (#"{"nbf": -1e300, "exp": 1e300}"#, "Send"),
        (#"{"nbf": 1e300, "exp": 1e301}"#, "The token is not valid yet"), (#"{"nbf": "x", "exp": null}"#, "Send"),
    ])
    func strangeTimesInATokenHarmNobody(claims: String, beginning: String) async throws {
        let token = "e30.\(Base64URL.encode(Data(claims.utf8))).c2ln"
        let date = "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
        let bytes = Self.answer("401 Unauthorized", "application/problem+json", Self.unauthorized, date)
        let seen = try await syncing(.asyncHTTPClient, bytes, token: token)
        #expect(seen.hasPrefix(beginning), "\(seen)")
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
