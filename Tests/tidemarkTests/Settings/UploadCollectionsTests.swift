import Foundation
import SyncSchema
import SyncServer
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

@testable import tidemark

/// `TIDEMARK_SYNC_UPLOAD_COLLECTIONS`.
@Suite struct UploadCollectionsTests {
    private func settings(_ value: String) async throws -> ServerSettings {
        try await SettingsReader(environment: ["TIDEMARK_SYNC_UPLOAD_COLLECTIONS": value], file: nil).read()
    }

    @Test(arguments: [
        ("tasks", ["tasks"]), ("risks , tasks", ["tasks", "risks"]),
        (
            "",
            [
                "calendars", "sprints", "tasks", "dependencies", "risks", "sprint_retros", "retro_action_items",
                "task_suggested_assignees", "task_links", "task_recurrence_rules", "time_entries",
                "attachments",
            ]
        ),
    ])
    func theServerTakesTheNamedCollections(value: String, names: [String]) async throws {
        let folder = try TemporaryFolder()
        let wiring = try await Wiring(
            database: folder.path("t.db"), as: .server(.ask), settings: settings(value).sync)
        #expect(wiring.registry.collections.filter(\.isUploadable).map(\.name) == names)
    }

    /// The database stays the same whatever the setting says, so a server may be narrowed and widened again.
    @Test func theSettingDoesNotChangeTheDatabase() async throws {
        let folder = try TemporaryFolder()
        for value in ["tasks", "", "risks"] {
            let wiring = try await Wiring(
                database: folder.path("t.db"), as: .server(.ask), settings: settings(value).sync)
            try wiring.store.close()
            _ = try await Wiring(database: folder.path("t.db"), as: .guest).store.close()
        }
    }

    @Test(arguments: ["nope", "tasks,memberships", "tasks,,risks", "tasks,", ",", "Tasks"])
    func aNameThatCantBeUploadedStopsTheStartBeforeTheDatabaseIsMade(value: String) async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: UploadLimitError.self) {
            try await Wiring(database: folder.path("t.db"), as: .server(.ask), settings: settings(value).sync)
        }
        let text = (error as (any OperatorError)?)?.description
        let names = "It can name: projects, calendars, sprints, tasks"
        #expect(text?.contains(names) == true, "its text is for the operator")
        #expect(!FileManager.default.fileExists(atPath: folder.path("t.db")))
    }
}
