import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// Pulls as WatermelonDB's documentation writes them: with `last_pulled_at`, and one answer for all.
@Suite struct StockPullTests {
    private func filled() async throws -> (Scene, Client) {
        var settings = SyncSettings()
        settings.pullPageSize = 2
        let scene = try await Scene(settings: settings)
        try await scene.fill()
        return (scene, try await scene.client(.member))
    }

    @Test(arguments: ["null", "", "0"]) func theFirstPullIsEverythingInOneAnswer(watermark: String) async throws {
        let (_, member) = try await filled()
        let pull = try await member.page(["last_pulled_at": watermark])
        let stream = try await member.page(["stream": "true", "encoding": "watermelondb"])
        #expect(pull.status == 200)
        #expect(pull.body == stream.body)
        #expect(pull.at("/has_more") == false)
        for (name, bucket) in pull.at("/changes")?.object ?? [:] { #expect(bucket["deleted"] == [], "\(name)") }
    }

    @Test func aLaterPullCarriesWhatHappenedSince() async throws {
        let (scene, member) = try await filled()
        let since = try await member.head()
        try await scene.insertTasks(["new1", "new2", "new3"])
        try await scene.bench.edit { try $0.delete("tasks", "t1") }
        let pull = try await member.page(["last_pulled_at": String(since)])
        let ids = pull.at("/changes/tasks/updated")?.array?.compactMap { $0["id"]?.string }
        #expect(ids == ["new1", "new2", "new3"])
        #expect(pull.at("/changes/tasks/deleted") == ["t1"])
        #expect(pull.at("/timestamp")?.int == (try await member.head()))
    }

    @Test func theOtherParametersOfTheSampleAreTaken() async throws {
        let (_, member) = try await filled()
        let since = String(try await member.head())
        let plain = try await member.page(["last_pulled_at": since, "schema_version": "3", "migration": "null"])
        #expect(plain.status == 200)
        #expect(plain.at("/changes/tasks/updated") == [])
        let migration = #"{"from":1,"tables":["risks"],"columns":[]}"#
        let migrated = try await member.page(["last_pulled_at": since, "schema_version": "3", "migration": migration])
        #expect(migrated.at("/changes/risks/updated")?.array?.isEmpty == false)
    }

    @Test func whatTheRequestSaysOfFormAndPagesIsDone() async throws {
        let (_, member) = try await filled()
        let page = try await member.page(["last_pulled_at": "0", "stream": "false", "encoding": "json"])
        #expect(page.body == (try await member.page()).body)
        #expect(page.at("/has_more") == true)
        let next = try await member.page([
            "last_pulled_at": "0", "stream": "false", "encoding": "json",
            "cursor": try #require(page.at("/next_cursor")?.string),
        ])
        #expect(next.status == 200)
    }

    @Test func twoWatermarksMustBeEqual() async throws {
        let (_, member) = try await filled()
        #expect(try await member.page(["last_pulled_at": "1", "since": "1"]).status == 200)
        #expect(try await member.page(["last_pulled_at": "1", "since": "2"]).code == "invalid_parameter")
        #expect(try await member.page(["last_pulled_at": "900"]).code == "since_ahead")
        #expect(try await member.page(["last_pulled_at": "undefined"]).code == "invalid_since")
    }
}
