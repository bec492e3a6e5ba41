import Foundation
import Logging
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// What the log contains about requests, and what it never contains.
@Suite struct RequestLogTests {
    private let log = CapturedLog()

    private func scene(_ change: (inout LogSettings) -> Void = { _ in }) async throws -> Scene {
        var observation = ObservationSettings()
        change(&observation.log)
        return try await Scene(
            accounts: Scene.unlimited, observation: observation, logger: log.logger(observation.log))
    }

    private var requests: [String] { log.lines.filter { $0.contains(" request ") } }

    @Test func requestsAreNotLoggedUnlessTheyAreAskedFor() async throws {
        let scene = try await scene()
        _ = try await scene.client(.member).page()
        _ = try await scene.stranger.send("GET", "/nope")
        #expect(log.lines.isEmpty)
    }

    @Test func aLoggedRequestIsOneLineWithItsRoute() async throws {
        let scene = try await scene { $0.requests = true }
        _ = try await scene.client(.member).page(headers: ["X-Request-Id": "mine"])
        #expect(requests.count == 1)
        let line = try #require(requests.first)
        for word in ["info", "method=GET", "route=/projects/{project}/sync/", "status=200", "request_id=mine"] {
            #expect(line.contains(word), "\(word)")
        }
        #expect(line.contains(#/milliseconds=[0-9]+ /#))
    }

    @Test func statusAndDurationAreNumbersInJSON() async throws {
        let scene = try await scene { ($0.requests, $0.format) = (true, .json) }
        _ = try await scene.client(.member).page()
        let line = try JSON(parsing: try #require(log.lines.last).utf8)
        #expect(line["status"] == 200 && line["milliseconds"]?.int != nil)
    }

    @Test func atDebugLevelRequestsAreLogged() async throws {
        let scene = try await scene { $0.level = .debug }
        _ = try await scene.stranger.send("GET", "/health")
        #expect(requests.count == 1)
        #expect(requests.first?.contains(" debug ") == true)
    }

    /// Everything that the client sends contains the word, and every way to fail is tried.
    @Test(arguments: ServerLog.Format.allCases)
    func noSecretIsEverLogged(format: ServerLog.Format) async throws {
        let scene = try await scene { ($0.level, $0.format, $0.requests) = (.trace, format, true) }
        try await scene.addAlice()
        let faulty = try await TestServer(
            FaultyStore(scene.bench.store, failingCall: 8), scene.registry, in: scene.folder,
            clock: scene.clock.wallClock, logger: log.logger(verbose(format)))
        let member = try await scene.client(.member)
        for server in [scene.server, faulty] {
            try await tellSecrets(Client(server: server, project: "p1", token: member.token))
        }
        #expect(log.lines.count > 20)
        let text = log.lines.joined(separator: "\n")
        #expect(!text.localizedCaseInsensitiveContains("secret"))
        for token in [member.token, Scene.password] { #expect(!text.contains(try #require(token))) }
    }

    private func verbose(_ format: ServerLog.Format) -> LogSettings {
        var settings = LogSettings()
        (settings.level, settings.format, settings.requests) = (.trace, format, true)
        return settings
    }

    private func tellSecrets(_ member: Client) async throws {
        let row: JSON = ["id": "secret-id", "name": "secret name", "notes": "secret notes"]
        try await member.upload(created: [row], members: ["device_id": "secret-device"])
        try await member.upload(updated: [["id": "secret-id", "duration": "secret"]])
        try await member.upload(created: [["id": "t2", "name": "secret", "parent": "secret-parent"]])
        try await member.upload(batch: "secret")
        _ = try await member.send("POST", member.syncPath, Data("{\"secret\"".utf8))
        _ = try await member.page(["cursor": "secret", "since": "0"])
        _ = try await member.page(["secret": "secret", "collections": "secret"])
        _ = try await member.send("GET", "/secret/secret?secret=secret")
        _ = try await member.send("PATCH", "/tasks/secret-id/", (["name": "secret"] as JSON).data)
        _ = try await member.send("DELETE", "/tasks/secret-id/", headers: ["If-Match": "secret"])
        _ = try await member.send("MKCOL", "/secret")
        _ = try await member.bearing("tmk_secret").page()
        _ = try await member.logIn("secret", "secret")
        let pair = try await member.logIn()
        _ = try await member.refresh("tmr_secret")
        _ = try await member.refresh(pair.refresh)
        _ = try await member.send("GET", "/health", headers: ["X-Request-Id": "secret id", "Cookie": "secret"])
    }
}
