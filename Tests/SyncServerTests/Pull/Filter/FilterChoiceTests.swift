import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

/// Of several conditions, the one that the fewest rows meet says by which index rows are looked up, and so in which
/// order they come.
@Suite struct FilterChoiceTests {
    private static let filter =
        #"{"tasks":[{"assignee":"@me","planned_start":{"from":"2026-11-01","until":"2026-11-30"}}]}"#

    /// Three tasks in the part, the latest first. `others` meet one of the two conditions.
    private func scene(others: [String: JSON]) async throws -> (Scene, Client) {
        let scene = try await Scene()
        let me: JSON = .int(scene.bench.caller(.member).userID)
        for day in ["20", "10", "05"] {
            try await scene.insertTasks(["t\(day)"], ["assignee": me, "planned_start": .string("2026-11-\(day)")])
        }
        let fields = others.mapValues { $0 == "@me" ? me : $0 }
        try await scene.insertTasks((0..<30).map { "other\($0)" }, fields)
        return (scene, try await scene.client(.member))
    }

    /// The tasks in the order in which pages of one row have them.
    private func tasks(
        _ member: Client, encoding: String = "json", since: Int64 = 0, was: String? = nil,
        between: () async throws -> Void = {}
    ) async throws -> [String] {
        var parameters = Client.part(Self.filter, was: was, since: since)
        parameters.merge(["page_size": "1", "collections": "tasks", "encoding": encoding]) { $1 }
        var ids: [String] = []
        repeat {
            let page = try await member.page(parameters)
            ids += (page.at("/changes/tasks/updated")?.array ?? []).compactMap { $0["id"]?.string }
            parameters["cursor"] = page.at("/next_cursor")?.string
            try await between()
        } while parameters["cursor"] != nil
        return ids
    }

    @Test(arguments: ["json", "watermelondb"])
    func aRareWindowIsLookedUpByItsDates(encoding: String) async throws {
        let (_, member) = try await scene(others: ["assignee": "@me"])
        #expect(try await tasks(member, encoding: encoding) == ["t05", "t10", "t20"])
        #expect(try await tasks(member.ofAllProjects, encoding: encoding) == ["t05", "t10", "t20"])
    }

    @Test func aRareAssigneeIsLookedUpInTheOrderOfCreation() async throws {
        let (_, member) = try await scene(others: ["planned_start": "2026-11-15"])
        #expect(try await tasks(member) == ["t20", "t10", "t05"])
        #expect(try await tasks(member.ofAllProjects) == ["t20", "t10", "t05"])
    }

    @Test func anotherFilterChoosesToo() async throws {
        let (_, member) = try await scene(others: ["assignee": "@me"])
        let none = #"{"tasks":[]}"#
        let since = try #require(try await member.page(Client.part(none)).at("/timestamp")?.int)
        #expect(try await tasks(member, since: since, was: none) == ["t05", "t10", "t20"])
    }

    /// The cursor keeps what page 1 has chosen.
    @Test(arguments: [false, true]) func aDrainGoesOnAsItHasBegun(isOfAll: Bool) async throws {
        let (scene, member) = try await scene(others: ["assignee": "@me"])
        var number = 0
        let found = try await tasks(isOfAll ? member.ofAllProjects : member) {
            number += 1
            try await scene.insertTasks(
                (0..<40).map { "new\(number)-\($0)" }, ["planned_start": .string("2026-11-15")])
        }
        #expect(found == ["t05", "t10", "t20"])
    }

    /// A stream, and the digest, have the same rows.
    @Test func streamAndDigestHaveThePart() async throws {
        let (_, member) = try await scene(others: ["assignee": "@me"])
        let parameters = Client.part(Self.filter).merging(["stream": "true", "digest": "true"]) { $1 }
        let stream = try await member.page(parameters)
        #expect(stream.at("/changes/tasks/updated")?.array?.compactMap { $0["id"]?.string } == ["t05", "t10", "t20"])
        #expect(stream.at("/digest/tasks/count") == 3)
    }
}
