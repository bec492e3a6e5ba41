import Foundation
import SyncServer
import Testing

@testable import tidemark

@Suite struct SettingsReaderTests {
    @Test func defaultsHoldWithoutAnySetting() async throws {
        let settings = try await SettingsReader(environment: ["HOME": "/"], file: nil).read()
        #expect(settings == .init())
        #expect(settings.pullPageSize == 1000)
    }

    @Test func theEnvironmentComesBeforeTheFile() async throws {
        let file = try write(#"{"sync": {"pullPageSize": 7, "batchMaxRows": 8}}"#)
        let environment = ["TIDEMARK_SYNC_PULL_PAGE_SIZE": "9"]
        let settings = try await SettingsReader(environment: environment, file: file).read()
        #expect(settings.pullPageSize == 9)
        #expect(settings.batchMaximumRows == 8)
    }

    @Test(arguments: [
        ["TIDEMARK_SYNC_PULL_PAGESIZE": "9"], ["TIDEMARK_SYNC_PULL_PAGE_SIZE": "many"],
        ["TIDEMARK_SYNC_PULL_PAGE_SIZE": "0"], ["TIDEMARK_SYNC_BATCH_MAX_ROWS": "100001"],
    ])
    func aVariableThatIsNotUnderstoodEndsTheStart(environment: [String: String]) async throws {
        await #expect(throws: CommandError.self) {
            try await SettingsReader(environment: environment, file: nil).read()
        }
    }

    @Test(arguments: [#"{"sync": {"pullPagesize": 7}}"#, #"{"sync": {"pullPageSize": "x"}}"#, "{", #"{"colour": 1}"#])
    func aFileThatIsNotUnderstoodEndsTheStart(text: String) async throws {
        let file = try write(text)
        await #expect(throws: CommandError.self) { try await SettingsReader(environment: [:], file: file).read() }
    }

    private func write(_ text: String) throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: "tidemark-settings-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: url)
        return url.path()
    }
}
