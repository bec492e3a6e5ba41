import ArgumentParser
import Foundation
import SyncAccounts
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

@testable import tidemark

@Suite(.timeLimit(.minutes(20))) struct DoctorTests {
    private let server: ServedProject

    init() async throws { server = try await ServedProject() }

    private func findings(_ words: String..., url: String? = nil) async throws -> [Finding] {
        try await DoctorCommand.parse([url ?? server.url] + words).findings(patience: .seconds(100)) { _ in }
    }

    private func level(_ check: String, _ findings: [Finding]) -> Finding.Level? {
        findings.first { $0.check == check }?.level
    }

    /// The names of all projects, also of those that the user can't see.
    private func projects(_ token: String) async throws -> [String] {
        let transport = AsyncHTTPClientTransport()
        let answer = try await transport.send(
            TransportRequest(
                url: server.url + "/api/v1/projects/", headers: ["Authorization": "Bearer \(token)"],
                timeout: .seconds(60)))
        try await transport.shutdown()
        return try JSON(parsing: answer.body)["results"]?.array?.compactMap { $0["name"]?.string } ?? []
    }

    @Test func aSoundServerIsSoundAndNothingIsLeftBehind() async throws {
        let token = try await server.token(.member)
        let before = try await projects(token)
        let findings = try await findings("--token", token)
        #expect(
            findings.map(\.check) == [
                "reachability", "TLS", "clock", "token", "compression", "events", "end of the token",
                "files", "time to a change", "waiting pulls",
            ])
        #expect(findings.first { $0.check == "files" }?.detail.contains("goes on after a break") == true)
        // The test server's clock is its own, but its `Date` is the machine's.
        #expect(findings.allSatisfy { $0.level == .ok }, "\(findings.map(\.line))")
        #expect(try await projects(token) == before)
    }

    @Test(arguments: ["--no-write", "--read-only"]) func noWriteWritesNothing(option: String) async throws {
        let findings = try await findings("--token", server.token(.member), option)
        #expect(level("time to a change", findings) == .skipped)
        #expect(findings.allSatisfy { [.ok, .skipped].contains($0.level) }, "\(findings.map(\.line))")
    }

    @Test func withAReadOnlyTokenTheWriteIsLeftOut() async throws {
        let user = server.bench.caller(.member).username.rawValue
        let token = try await server.bench.accounts.createToken(for: user, name: "ro", isReadOnly: true)
        let findings = try await findings("--token", token)
        #expect(level("time to a change", findings) == .skipped && level("waiting pulls", findings) == .ok)
    }

    @Test func aTokenThatEndsSoonIsAWarning() async throws {
        let user = server.bench.caller(.member).username.rawValue
        let token = try await server.bench.accounts.createToken(for: user, name: "t", validFor: .seconds(86400))
        let findings = try await findings("--token", token, "--no-write")
        #expect(findings.first { $0.check == "end of the token" }?.line.contains("It ends in 24 hours.") == true)
        #expect(level("end of the token", findings) == .warning)
    }

    @Test func aWrongTokenFailsAndEndsTheChecks() async throws {
        let findings = try await findings("--token", "tmk_wrong")
        #expect(findings.last?.check == "token" && findings.last?.level == .failure)
        #expect(findings.last?.remedy?.contains("tidemark token create") == true)
        let error = await #expect(throws: ExitCode.self) {
            try await DoctorCommand.parse([server.url, "--token", "tmk_wrong", "--json"]).run()
        }
        #expect(error == .failure)
    }

    @Test func whatDoesNotListenOrIsNotTidemarkFails() async throws {
        let nobody = try await findings("--token", "t", url: "http://127.0.0.1:1")
        #expect(nobody.map(\.level) == [.failure])
        await #expect(throws: CommandError.self) { try await findings("--token", "t", url: "nonsense") }
    }

    @Test func aPlainServerThatIsAskedForTLSFails() async throws {
        let findings = try await findings("--token", "t", url: server.url.replacing("http:", with: "https:"))
        #expect(findings.map(\.check) == ["TLS"] && findings.map(\.level) == [.failure])
    }

    @Test func aProxyThatHoldsBackEventsIsNamed() async throws {
        let inner = AsyncHTTPClientTransport()
        let token = try await server.token(.member)
        let client = ServerClient(
            base: server.url + "/api/v1", token: token, transport: HoldingBack(inner: inner))
        var doctor = Doctor(client: client, writes: true, patience: .milliseconds(50)) { _ in }
        try await doctor.checkEvents()
        try await inner.shutdown()
        let finding = try #require(doctor.findings.first)
        #expect(doctor.findings.count == 1 && finding.level == .warning)
        #expect(
            finding.line.contains("A proxy on the way holds them back")
                && finding.line.contains("proxy_buffering"))
    }

    private func fileFinding(through change: @escaping @Sendable (inout TransportRequest) throws -> Void) async throws
        -> Finding
    {
        let inner = AsyncHTTPClientTransport()
        let client = ServerClient(
            base: server.url + "/api/v1", token: try await server.token(.admin),
            transport: Changing(inner: inner, change: change))
        var doctor = Doctor(client: client, writes: true) { _ in }
        try await doctor.checkFile(to: server.bench.project)
        try await inner.shutdown()
        return try #require(doctor.findings.first)
    }

    @Test func aProxyThatBreaksInterimAnswersIsNamed() async throws {
        let broken = try await fileFinding { _ in throw TransportError.timeout }
        #expect(broken.level == .failure && broken.line.contains("TIDEMARK_FILES_INTERIM=false"), "\(broken.line)")
    }

    @Test func withoutInterimAnswersItIsSaidWhoGoesOn() async throws {
        let finding = try await fileFinding { $0.headers["X-Forwarded-For"] = "10.0.0.1" }
        #expect(finding.level == .ok && finding.detail.contains("URLSession begins again"), "\(finding.line)")
        let wrong = try await fileFinding { $0.headers["Repr-Digest"] = "sha-256=:AAAA:" }
        #expect(wrong.level == .failure && wrong.detail.contains("Repr-Digest"), "\(wrong.line)")
    }

    @Test(arguments: [(0, Finding.Level.ok), (29, .ok), (-29, .ok), (31, .warning), (-31, .warning)])
    func clocksMayDifferBy30Seconds(seconds: Int, level: Finding.Level) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let finding = Doctor.judge(
            serverTime: now.addingTimeInterval(Double(seconds) + 1), sent: now, took: .seconds(3))
        #expect(finding.level == level, "\(finding.line)")
    }

    @Test func halfOfTheExchangeIsTakenOff() {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let finding = Doctor.judge(serverTime: now.addingTimeInterval(60), sent: now, took: .seconds(121))
        #expect(finding.detail == "The clocks agree.")
        #expect(Doctor.date("Tue, 24 Nov 2026 02:30:34 GMT")?.timeIntervalSince1970 == 1_795_487_434)
    }

    @Test(arguments: [(90.0, Finding.Level.ok), (13.5, .warning), (0.2, .warning)])
    func aCertificateThatEndsWithin14DaysIsAWarning(days: Double, level: Finding.Level) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(Doctor.judge(certificateUntil: now.addingTimeInterval(days * 86400), at: now).level == level)
    }
}

/// A proxy that changes requests.
private struct Changing: Transport {
    let inner: AsyncHTTPClientTransport
    let change: @Sendable (inout TransportRequest) throws -> Void

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        try change(&request)
        return try await inner.send(request)
    }
}

/// A proxy that passes on the head of an answer, and waits for the end of its body.
private struct HoldingBack: Transport {
    let inner: AsyncHTTPClientTransport

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await inner.send(request) }

    func open(_ request: TransportRequest) async throws -> TransportStream? {
        guard var stream = try await inner.open(request) else { return nil }
        let (silence, _) = AsyncThrowingStream<Data, any Error>.makeStream()
        stream.body = silence
        return stream
    }
}
