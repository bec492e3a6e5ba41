import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// `digest` at the end of a drain, and `GET …/sync/digest/`.
@Suite struct DigestTests {
    private func digest(_ client: Client, _ query: String = "") async throws -> Answer {
        try await client.send("GET", client.syncPath + "digest/" + query)
    }

    /// Digests by collection, computed from the rows of a drain.
    private func counted(_ drain: Drain, _ scene: Scene) -> JSON {
        let names = scene.registry.collections.map(\.name)
        return .object(
            Dictionary(
                uniqueKeysWithValues: names.map { name in
                    (name, NaiveDigest.of(drain.rows.filter { $0.key.collection == name }.values))
                }))
    }

    @Test(arguments: Role.allCases) func theLastPagesDigestIsOfWhatTheCallerSees(role: Role) async throws {
        let scene = try await Scene()
        try await scene.fill()
        let client = try await scene.client(role)
        let expected = counted(try await client.drain(), scene)
        #expect(try await client.page().json["digest"] == expected)
        #expect(expected["tasks"]?["count"] == 3)
        let own = [Role.member: 1, .admin: 1][role] ?? 0
        #expect(expected["time_entries"]?["count"] == .int(Int64(own)))
        let seen: JSON = role == .viewer ? 0 : 1
        #expect(expected["sprint_retros"]?["count"] == seen && expected["retro_action_items"]?["count"] == seen)
        let answer = try await digest(client)
        #expect(answer.status == 200)
        #expect(answer.json == ["timestamp": .int(try await client.head()), "digest": expected])
    }

    @Test func theFormOfAPullMakesNoDifference() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let client = try await scene.client(.member)
        let expected = try await client.page().json["digest"]
        let head = String(try await client.head())
        let forms = [
            ["since": head], ["encoding": "watermelondb"], ["encoding": "watermelondb", "since": head],
            ["split_created": "true", "since": "1"], ["since": head, "migration": #"{"tables":["tasks"]}"#],
        ]
        for form in forms { #expect(try await client.page(form).json["digest"] == expected, "\(form)") }
    }

    @Test func onlyTheLastPageHasADigest() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let client = try await scene.client(.owner)
        var parameters = ["page_size": "4"]
        var page = try await client.page(parameters)
        while let next = page.json["next_cursor"]?.string {
            #expect(page.json["digest"] == nil)
            parameters["cursor"] = next
            page = try await client.page(parameters)
        }
        #expect(page.json["digest"]?["tasks"]?["count"] == 3)
    }

    @Test func aWriteDuringTheDrainLeavesTheDigestOut() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let client = try await scene.client(.owner)
        let first = try await client.page(["page_size": "1"])
        try await client.upload(created: [["id": "t-new", "name": "N"]])
        let cursor = first.json["next_cursor"]?.string
        let last = try await client.page(["page_size": "1000", "cursor": cursor ?? ""])
        #expect(last.json["has_more"] == false)
        #expect(last.json["digest"] == .null)
        let since = last.json["timestamp"]?.text ?? ""
        #expect(try await client.page(["since": since]).json["digest"]?["tasks"]?["count"] == 4)
    }

    @Test func theFilterIsTheDigestsToo() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let client = try await scene.client(.viewer)
        let all = try await digest(client).json["digest"]?.object ?? [:]
        let some = all.filter { ["tasks", "time_entries"].contains($0.key) }
        #expect(some.count == 2)
        #expect(try await client.page(["collections": "time_entries,tasks"]).json["digest"] == .object(some))
        #expect(try await digest(client, "?collections=tasks,time_entries").json["digest"] == .object(some))
        let unknown = try await digest(client, "?collections=tasks,nope")
        #expect(unknown.status == 400 && unknown.code == "unknown_collection")
    }

    @Test func digestsAreForMembers() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        let (viewer, owner) = (try await scene.client(.viewer), try await scene.client(.owner))
        #expect(try await digest(scene.stranger).status == 401)
        #expect(try await digest(scene.client(named: other.caller(.owner).username.rawValue)).code == "not_a_member")
        try await scene.removeMember(.viewer)
        #expect(try await digest(viewer).code == "membership_revoked")
        try await scene.archive()
        #expect(try await digest(owner).status == 200)
        try await scene.deleteProject()
        #expect(try await digest(owner).code == "project_deleted")
        #expect(try await owner.send("GET", "/projects/none/sync/digest/").code == "not_found")
    }

    /// The example that docs/protocol.md computes.
    @Test func theExampleOfTheDocumentationHolds() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t-1", "t-2"])
        for name in ["B", "C"] {
            try await scene.bench.edit { try $0.update("tasks", "t-1", ["name": .string(name)]) }
        }
        let answer = try await digest(try await scene.client(.viewer), "?collections=tasks")
        #expect(answer.json["digest"] == ["tasks": ["count": 2, "digest": "1a04bf00f2c80fcb"]])
    }
}
