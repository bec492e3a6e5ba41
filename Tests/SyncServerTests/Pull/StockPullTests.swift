import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// Pulls as WatermelonDB's documentation writes them: with `last_pulled_at`, and everything in one answer.
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
        #expect(pull.at("/timestamp") == stream.at("/timestamp") && pull.at("/digest") == stream.at("/digest"))
        for (name, bucket) in stream.at("/changes")?.object ?? [:] {
            #expect(pull.at("/changes/\(name)/created") == bucket["updated"], "\(name)")
            #expect(pull.at("/changes/\(name)/updated") == [], "a stock client complains of each row: \(name)")
        }
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
        let form = ["last_pulled_at": "0", "stream": "false", "encoding": "json", "split_created": "false"]
        let page = try await member.page(form)
        #expect(page.body == (try await member.page()).body)
        #expect(page.at("/has_more") == true)
        let cursor = try #require(page.at("/next_cursor")?.string)
        let next = try await member.page(form.merging(["cursor": cursor]) { $1 })
        #expect(next.status == 200)
    }

    @Test func splitCreatedOfAFirstPullIsEverythingToo() async throws {
        let (scene, member) = try await filled()
        try await scene.insertTasks(["mine"])
        let all = try await member.page(["last_pulled_at": "0"])
        #expect(try await member.page(["last_pulled_at": "0", "split_created": "true"]).body == all.body)
        let kept = try await member.page(["last_pulled_at": "0", "split_created": "false"])
        #expect(kept.at("/changes/tasks/created") == [])
        #expect(kept.at("/changes/tasks/updated") == all.at("/changes/tasks/created"))
        let pages = try await member.page(["last_pulled_at": "0", "stream": "false", "page_size": "5000"])
        #expect(pages.at("/changes/tasks") == all.at("/changes/tasks"))
    }

    /// An app may have tables and columns of its own, and WatermelonDB names them too.
    @Test func aMigrationMayNameWhatTheServerDoesNotKnow() async throws {
        let (_, member) = try await filled()
        let since = String(try await member.head())
        let migration =
            #"{"from":1,"tables":["drafts","risks"],"columns":[{"table":"drafts","columns":["x"]},"#
            + #"{"table":"tasks","columns":["color","name"]}]}"#
        let answer = try await member.page(["last_pulled_at": since, "migration": migration])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/changes/risks/updated")?.array?.isEmpty == false)
        #expect(answer.at("/changes/tasks/updated")?.array?.isEmpty == false)
        #expect(try await member.page(["since": since, "migration": migration]).code == "invalid_parameter")
    }

    /// `URLSearchParams` writes a space as `+`.
    @Test func aPlusIsASpace() async throws {
        let (_, member) = try await filled()
        let since = try await member.head()
        let migration = "%7B%22from%22%3A+1%2C+%22tables%22%3A+%5B%22risks%22%5D%7D"
        let answer = try await member.send("GET", member.syncPath + "?since=\(since)&migration=\(migration)")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/changes/risks/updated")?.array?.isEmpty == false)
    }

    @Test func twoWatermarksMustBeEqual() async throws {
        let (_, member) = try await filled()
        #expect(try await member.page(["last_pulled_at": "1", "since": "1"]).status == 200)
        #expect(try await member.page(["last_pulled_at": "1", "since": "2"]).code == "invalid_parameter")
        #expect(try await member.page(["last_pulled_at": "900"]).code == "since_ahead")
        #expect(try await member.page(["last_pulled_at": "undefined"]).code == "invalid_since")
    }
}
