import Foundation
import SyncAccounts
import SyncServer
import SyncTestKit
import Testing
@testable import tidemark

@Suite struct SettingsReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func defaultsHoldWithoutAnySetting() async throws {
        let settings = try await SettingsReader(environment: ["HOME": "/"], file: nil).read()
        #expect(settings == .init())
        #expect(settings.sync.pullPageSize == 1000)
    }

    @Test func theEnvironmentComesBeforeTheFile() async throws {
        let file = try write(#"{"sync": {"pullPageSize": 7, "batchMaxRows": 8}}"#)
        let environment = ["TIDEMARK_SYNC_PULL_PAGE_SIZE": "9"]
        let settings = try await SettingsReader(environment: environment, file: file).read()
        #expect(settings.sync.pullPageSize == 9)
        #expect(settings.sync.batchMaximumRows == 8)
    }

    @Test func textsAndFlagsAreReadFromTheEnvironmentAndTheFile() async throws {
        let file = try write(
            #"{"auth": {"trustForwardedFor": true, "loginsPerAddress": 0}, "identity": {"issuer": "https://a/"}}"#)
        let environment = ["TIDEMARK_IDENTITY_ISSUER": "https://b/", "TIDEMARK_IDENTITY_KEYS": "keys.json"]
        let settings = try await SettingsReader(environment: environment, file: file).read()
        #expect(settings.accounts.trustsForwardedFor)
        #expect(settings.accounts.loginsPerAddress == 0)
        #expect(settings.accounts.identityIssuer == "https://b/")
        #expect(settings.accounts.identityKeys == "keys.json")
        let overruled = try await SettingsReader(
            environment: ["TIDEMARK_AUTH_TRUST_FORWARDED_FOR": "false"], file: file
        ).read()
        #expect(!overruled.accounts.trustsForwardedFor)
    }

    /// `true` is a word here, and people write it without quotes.
    @Test(arguments: ["true", "\"true\""]) func aChoiceMayBeTrue(value: String) async throws {
        let file = try write("{\"files\": {\"interim\": \(value)}}")
        #expect(try await SettingsReader(environment: [:], file: file).read().files.interim == "true")
        let environment = ["TIDEMARK_FILES_INTERIM": "auto"]
        #expect(try await SettingsReader(environment: environment, file: file).read().files.interim == "auto")
    }

    @Test(arguments: [
        ["TIDEMARK_FILES_INTERIM": "yes"], ["TIDEMARK_SYNC_PULL_PAGESIZE": "9"],
        ["TIDEMARK_SYNC_PULL_PAGE_SIZE": "many"],
        ["TIDEMARK_SYNC_PULL_PAGE_SIZE": "0"], ["TIDEMARK_SYNC_BATCH_MAX_ROWS": "100001"],
        ["TIDEMARK_AUTH_TRUST_FORWARDED_FOR": "maybe"],
        ["TIDEMARK_AUTH_LOGINS_PER_ADDRESS": "-1"],
        ["TIDEMARK_HTTP_IDLE_SECONDS": "0"], ["TIDEMARK_HTTP_CONNECTIONS": "all"],
    ])
    func aVariableThatIsNotUnderstoodEndsTheStart(environment: [String: String]) async throws {
        await #expect(throws: CommandError.self) {
            try await SettingsReader(environment: environment, file: nil).read()
        }
    }

    /// A service's file may say `TIDEMARK_METRICS_TOKEN=`.
    @Test func anEmptyVariableCountsAsUnset() async throws {
        let file = try write(#"{"sync": {"pullPageSize": 7}}"#)
        let names = Setting.all.map(\.variable) + ["TIDEMARK_DATABASE", "TIDEMARK_TOKEN", "TIDEMARK_NOTHING"]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
        let settings = try await SettingsReader(environment: environment, file: file).effective()
        #expect(settings.values.sync.pullPageSize == 7)
        #expect(settings.origins == ["sync.pullPageSize": .file])
    }

    @Test func aMisspelledKeyIsAnsweredWithTheOneThatWasMeant() async throws {
        let file = try write(#"{"sync": {"pullPagesize": 7}}"#)
        let error = await #expect(throws: CommandError.self) {
            try await SettingsReader(environment: [:], file: file).read()
        }
        #expect(error?.description == "There is no setting sync.pullPagesize. Did you mean sync.pullPageSize?")
    }

    @Test(arguments: [
        #"{"sync": {"pullPagesize": 7}}"#, #"{"sync": {"pullPageSize": "x"}}"#, "{", #"{"colour": 1}"#,
        #"{"auth": {"trustForwardedFor": "yes"}}"#, #"{"identity": {"issuer": 7}}"#,
        #"{"auth": {"trustForwardedFor": 1}}"#, #"{"sync": {"pullPageSize": true}}"#,
        #"{"log": {"format": true}}"#, #"{"files": {"interim": 1}}"#,
        #"{"sync": {"pullPageSize": 1.5}}"#,
        #"{"sync": {"pullPageSize": null}}"#, #"{"identity": {"issuer": ["a"]}}"#,
    ])
    func aFileThatIsNotUnderstoodEndsTheStart(text: String) async throws {
        let file = try write(text)
        await #expect(throws: CommandError.self) { try await SettingsReader(environment: [:], file: file).read() }
    }

    private func write(_ text: String) throws -> String {
        let path = folder.path("settings.json")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }
}
