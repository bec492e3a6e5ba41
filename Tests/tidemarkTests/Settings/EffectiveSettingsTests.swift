import Foundation
import Logging
import SyncServer
import SyncTestKit
import Testing

@testable import tidemark

/// What `serve --print-config` prints.
@Suite struct EffectiveSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String) throws -> String {
        let path = folder.path("settings.json")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func aFlagComesBeforeTheEnvironmentAndThatBeforeTheFile() async throws {
        let file = try write(
            #"{"server": {"port": 1, "host": "a", "shutdownSeconds": 5}, "log": {"level": "error", "requests": true}}"#)
        let settings = try await SettingsReader(
            environment: ["TIDEMARK_SERVER_PORT": "2", "TIDEMARK_SERVER_HOST": "b"], file: file,
            flags: ["server.port": "3"]
        ).effective()
        #expect(settings.values.server == ListenerSettings(host: "b", port: 3, shutdownSeconds: 5))
        #expect(settings.values.observation.log.level == .error)
        #expect(settings.values.observation.log.requests)
        #expect(
            settings.origins == [
                "server.port": .flag, "server.host": .environment, "server.shutdownSeconds": .file,
                "log.level": .file, "log.requests": .file,
            ])
    }

    @Test func everySettingIsALineWithItsValueAndOrigin() async throws {
        let settings = try await SettingsReader(
            environment: ["TIDEMARK_SYNC_PULL_PAGE_SIZE": "7"], file: nil, flags: ["server.port": "0"]
        ).effective()
        let table = settings.table(others: [("--database", "plans.db", .flag), ("--demo", "false", .default)])
        let lines = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for setting in Setting.all { #expect(lines.filter { $0.first == setting.key }.count == 1, "\(setting.key)") }
        for line in [
            ["sync.pullPageSize", "7", "environment", "TIDEMARK_SYNC_PULL_PAGE_SIZE"],
            ["server.port", "0", "flag", "TIDEMARK_SERVER_PORT"],
            ["log.format", "text", "default", "TIDEMARK_LOG_FORMAT"],
            ["--database", "plans.db", "flag"], ["--demo", "false", "default"],
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test func aSecretIsNeverShown() async throws {
        let settings = try await SettingsReader(
            environment: ["TIDEMARK_METRICS_TOKEN": "hidden"], file: nil
        ).effective()
        #expect(settings.values.observation.metrics.token == "hidden")
        let table = settings.table(others: [])
        #expect(!table.contains("hidden"))
        #expect(table.contains(/metrics\.token +\*\*\* +environment/))
    }

    @Test(arguments: [
        ["TIDEMARK_LOG_LEVEL": "loud"], ["TIDEMARK_LOG_FORMAT": "JSON"],
        ["TIDEMARK_SERVER_PORT": "65536"], ["TIDEMARK_LOG_REQUESTS": "1"],
    ])
    func aValueThatIsNotUnderstoodEndsTheStart(environment: [String: String]) async throws {
        await #expect(throws: CommandError.self) {
            try await SettingsReader(environment: environment, file: nil).read()
        }
    }

    @Test func aFlagOutOfRangeEndsTheStart() async throws {
        await #expect(throws: CommandError.self) {
            try await SettingsReader(environment: [:], file: nil, flags: ["server.port": "-1"]).read()
        }
    }
}
