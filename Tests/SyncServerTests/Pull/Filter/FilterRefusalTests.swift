import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Pulls of a part that are refused.
@Suite struct FilterRefusalTests {
    private func filled() async throws -> (Client, since: Int64) {
        let scene = try await Scene()
        try await scene.fillParts()
        let member = try await scene.client(.member)
        return (member, try await member.head())
    }

    private func expect(_ page: Answer, _ status: Int, _ code: String) {
        #expect(page.status == status && page.code == code, "\(page.text)")
    }

    @Test func aboveZeroAFilterNeedsTheOneBefore() async throws {
        let (member, since) = try await filled()
        expect(try await member.page(Client.part(Scene.mine, since: since)), 400, "invalid_parameter")
        expect(try await member.page(Client.part("{}", since: since)), 400, "invalid_parameter")
        #expect(try await member.page(Client.part(Scene.mine, was: "nonsense")).status == 200)
    }

    @Test(arguments: ["", "nonsense", "[]", #"{"tasks":[{"name":"x"}]}"#, #"{"boats":[{}]}"#])
    func whatTheFilterWasMustBeReadable(was: String) async throws {
        let (member, since) = try await filled()
        expect(try await member.page(Client.part(Scene.mine, was: was, since: since)), 410, "since_expired")
        expect(try await member.page(Client.part(nil, was: was, since: since)), 410, "since_expired")
    }

    @Test(arguments: [
        ("[]", " invalid_filter"), ("tasks", " invalid_filter"), (#"{"boats":[{}]}"#, "/boats unknown_collection"),
        (#"{"projects":[{}]}"#, "/projects invalid_filter"), (#"{"tasks":{}}"#, "/tasks wrong_type"),
        (#"{"tasks":[{},{"name":"x"}]}"#, "/tasks/1/name unknown_field"),
        (#"{"tasks":[{"assignee":[1,"x"]}]}"#, "/tasks/0/assignee/1 wrong_type"),
        (#"{"tasks":[{"status":"NONE"}]}"#, "/tasks/0/status not_in_enum"),
        (#"{"tasks":[{"planned_start":{"from":"2026"}}]}"#, "/tasks/0/planned_start/from bad_format"),
        (#"{"tasks":[{},{},{},{},{},{},{},{},{}]}"#, "/tasks too_long"),
    ])
    func aFilterIsRefusedWithThePlaceInIt(filter: String, error: String) async throws {
        let (member, since) = try await filled()
        for parameters in [Client.part(filter), Client.part(filter, was: "same", since: since)] {
            let page = try await member.page(parameters)
            expect(page, 400, "invalid_filter")
            #expect(page.errors == [error])
        }
    }

    @Test func aFilterHasAtMostTwoKibibytes() async throws {
        let (member, _) = try await filled()
        let start = #"{"tasks":[{"sprint":"s1"}]}"#
        let most = start + String(repeating: " ", count: 2048 - start.utf8.count)
        #expect(try await member.page(Client.part(most)).status == 200)
        let page = try await member.page(Client.part(most + " "))
        expect(page, 400, "invalid_filter")
        #expect(page.errors == [" too_long"])
    }

    @Test func leftIsOneOfTwoWordsAndForAFilter() async throws {
        let (member, since) = try await filled()
        expect(try await member.page(["left": "deleted"]), 400, "invalid_parameter")
        let parameters = Client.part(Scene.mine, was: "same", since: since)
        expect(try await member.page(parameters.merging(["left": "gone"]) { $1 }), 400, "invalid_parameter")
    }

    @Test func aStockClientSaysWhereWhatLeavesGoes() async throws {
        let (member, since) = try await filled()
        var parameters = ["last_pulled_at": String(since), "filter": Scene.mine, "filter_was": "same"]
        expect(try await member.page(parameters), 400, "invalid_parameter")
        for left in ["left", "deleted"] {
            parameters["left"] = left
            #expect(try await member.page(parameters).status == 200)
        }
    }

    @Test func onlyAPullOfAllProjectsHasAFilterOfProjects() async throws {
        let (member, _) = try await filled()
        let filter = #"{"projects":[{"is_archived":false}]}"#
        expect(try await member.page(Client.part(filter)), 400, "invalid_filter")
        let all = member.ofAllProjects
        #expect(try await all.page(Client.part(filter)).status == 200)
        for other in [#"{"projects":[{"name":"Hall"}]}"#, #"{"projects":["p1",1]}"#, #"{"projects":"p1"}"#] {
            expect(try await all.page(Client.part(other)), 400, "invalid_filter")
        }
        expect(try await all.page(["left": "left"]), 400, "invalid_parameter")
    }

    @Test func aCursorIsGoodForItsFilterAlone() async throws {
        let (member, _) = try await filled()
        let page = try await member.page(Client.part(Scene.mine).merging(["page_size": "1"]) { $1 })
        let cursor = ["cursor": try #require(page.at("/next_cursor")?.string)]
        for other in [Scene.onHold, "{}", nil] {
            expect(try await member.page(Client.part(other).merging(cursor) { $1 }), 400, "invalid_cursor")
        }
        for same in [Scene.mine, #"{"tasks": [{"assignee": ["@me"]}]}"#] {
            #expect(try await member.page(Client.part(same).merging(cursor) { $1 }).status == 200)
        }
    }

    @Test func aCursorIsGoodForBothFilters() async throws {
        let (member, since) = try await filled()
        let parameters = Client.part(Scene.onHold, was: Scene.mine, since: since)
        let page = try await member.page(parameters.merging(["page_size": "1"]) { $1 })
        let cursor = ["cursor": try #require(page.at("/next_cursor")?.string)]
        for was in ["same", "{}"] {
            let other = Client.part(Scene.onHold, was: was, since: since)
            expect(try await member.page(other.merging(cursor) { $1 }), 400, "invalid_cursor")
        }
        let elsewhere = parameters.merging(cursor) { $1 }.merging(["left": "deleted"]) { $1 }
        expect(try await member.page(elsewhere), 400, "invalid_cursor")
        #expect(try await member.page(parameters.merging(cursor) { $1 }).status == 200)
    }
}
