import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Cursors, batch ids and idempotency keys work only for the user who got or sent them.
@Suite struct ForeignTokenTests {
    /// Two projects, and a user who owns both.
    private func both() async throws -> (TwoProjects, Client) {
        let two = try await TwoProjects()
        _ = try await two.scene.bench.user("both", as: .owner)
        try await two.other.members.addMember("both", to: "p2", as: .owner)
        return (two, try await two.scene.client(named: "both"))
    }

    @Test func aCursorIsOfOneUserOneProjectAndOneRequest() async throws {
        let (two, first) = try await both()
        let parameters = ["page_size": "1", "since": "0"]
        let cursor = try #require(try await first.page(parameters).at("/next_cursor")?.string)
        #expect(try await first.page(parameters.merging(["cursor": cursor]) { $1 }).verdict == "200")
        var second = first
        second.project = "p2"
        let others: [(String, Client, [String: String])] = [
            ("another user", try await two.scene.client(.owner), [:]), ("another project", second, [:]),
            ("another project of another user", try await two.callers()["owner of p2"]!.at("p2"), [:]),
            ("another since", first, ["since": "1"]), ("another filter", first, ["collections": "tasks"]),
        ]
        for (what, client, change) in others {
            let sent = parameters.merging(["cursor": cursor]) { $1 }.merging(change) { $1 }
            let answer = try await client.page(sent)
            #expect(answer.verdict == "400 invalid_cursor", "\(what): \(answer.text)")
        }
        #expect(
            try await first.page(["page_size": "7", "since": "0", "cursor": cursor]).verdict == "200",
            "the page size may change")
    }

    @Test func aBatchIDIsOfOneUserAndOneProject() async throws {
        let (two, first) = try await both()
        let batch = UUID().uuidString
        let rows: [JSON] = [["id": "p1-live-tasks", "notes": "SECRET"]]
        let original = try await first.upload(updated: rows, batch: batch)
        #expect(original.status == 200)
        #expect(try await first.upload(updated: rows, batch: batch).header("Idempotent-Replayed") == "true")
        // Another user: the batch is applied again, and changes nothing.
        let scheduler = try await two.scene.client(.scheduler)
        let second = try await scheduler.upload(updated: rows, batch: batch)
        #expect(second.verdict == "200" && second.header("Idempotent-Replayed") == nil)
        #expect(try await scheduler.upload(deleted: ["x"], batch: batch).verdict == "422 batch_id_reused")
        // Another body under another user's batch id does not count as a reuse.
        #expect(try await two.scene.client(.member).upload(deleted: ["x"], batch: batch).verdict == "200")
        // Another project.
        let third = try await first.at("p2").upload(updated: [["id": "p2-live-tasks", "notes": "A"]], batch: batch)
        #expect(third.verdict == "200" && third.header("Idempotent-Replayed") == nil, "\(third.text)")
        // Somebody who has nothing to do with the project.
        let outsider = try await two.callers()["owner of p2"]!
        #expect(try await outsider.at("p1").upload(updated: rows, batch: batch).verdict == "403 not_a_member")
    }

    @Test func aReplayNeedsTheMembership() async throws {
        let (two, first) = try await both()
        let batch = UUID().uuidString
        let (rows, headers): ([JSON], [String: String]) = ([["id": "mine", "name": "A"]], ["Idempotency-Key": "k"])
        #expect(try await first.upload(created: rows, batch: batch).status == 200)
        #expect(try await first.create("tasks", ["name": "A"], headers: headers).status == 201)
        let row = try await two.scene.bench.membership(of: two.scene.bench.accounts.user(named: "both").id)
        try await two.scene.bench.edit { try $0.delete("memberships", row) }
        #expect(try await first.upload(created: rows, batch: batch).verdict == "403 membership_revoked")
        #expect(
            try await first.create("tasks", ["name": "A"], headers: headers).verdict == "403 membership_revoked")
    }

    @Test func anIdempotencyKeyIsOfOneUserAndOneProject() async throws {
        let (two, first) = try await both()
        let (key, body): ([String: String], JSON) = (["Idempotency-Key": "the-same"], ["name": "SECRET"])
        let original = try await first.create("tasks", body, headers: key)
        #expect(original.verdict == "201")
        let replay = try await first.create("tasks", body, headers: key)
        #expect(replay.body == original.body && replay.header("Idempotent-Replayed") == "true")
        let others = [
            try await two.scene.client(.member).create("tasks", body, headers: key),
            try await first.at("p2").create("tasks", body, headers: key),
        ]
        for answer in others {
            #expect(answer.verdict == "201" && answer.header("Idempotent-Replayed") == nil, "\(answer.text)")
            #expect(answer.at("/id") != original.at("/id"))
        }
        // Only the key's own user is refused for using it for something else.
        #expect(try await first.create("tasks", ["name": "B"], headers: key).verdict == "422 idempotency_key_reused")
        let other = try await two.scene.client(.scheduler).create("tasks", ["name": "B"], headers: key)
        #expect(other.verdict == "201")
        let sprint = try await first.create("sprints", .object(Scene.sprint), headers: key)
        #expect(sprint.verdict == "422 idempotency_key_reused")
    }

    @Test func aKeyOfANewProjectIsOfOneUser() async throws {
        let two = try await TwoProjects()
        let (key, body): ([String: String], JSON) = (
            ["Idempotency-Key": "the-same"], ["name": "SECRET", "start_date": "2026-01-05"]
        )
        var ids: Set<JSON> = []
        for (who, client) in try await two.callers() where who != "nobody" {
            let answer = try await client.create("projects", body, headers: key)
            #expect(answer.verdict == "201" && answer.header("Idempotent-Replayed") == nil, "\(who): \(answer.text)")
            ids.insert(answer.at("/id") ?? .null)
        }
        #expect(ids.count == 6)
    }
}

extension Client {
    /// The same caller in another project.
    func at(_ project: String) -> Client {
        var client = self
        client.project = project
        return client
    }
}
