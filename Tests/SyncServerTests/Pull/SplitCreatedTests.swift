import SyncProtocol
import SyncTestKit
import Testing

/// `split_created=true`.
@Suite struct SplitCreatedTests {
    /// Ids by bucket, over all pages.
    private func buckets(_ client: Client, since: Int64, _ collection: String, pageSize: Int = 1000) async throws
        -> [String: Set<String>]
    {
        var found: [String: Set<String>] = ["created": [], "updated": [], "deleted": []]
        var parameters = ["since": String(since), "split_created": "true", "page_size": String(pageSize)]
        repeat {
            let page = try await client.page(parameters)
            #expect(page.status == 200, "\(page.text)")
            for bucket in found.keys {
                let rows = page.at("/changes/\(collection)/\(bucket)")?.array ?? []
                for id in rows.compactMap({ $0.string ?? $0["id"]?.string }) {
                    #expect(found.values.allSatisfy { !$0.contains(id) }, "\(id) came twice")
                    found[bucket]?.insert(id)
                }
            }
            parameters["cursor"] = page.at("/next_cursor")?.string
        } while parameters["cursor"] != nil
        return found
    }

    @Test(arguments: [1, 2, 1000]) func newRowsOfOthersAreCreatedAndOnesOwnAreUpdated(pageSize: Int) async throws {
        let scene = try await Scene()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        try await admin.upload(created: [["id": "old", "name": "A"], ["id": "gone", "name": "A"]])
        let since = try await member.head()
        try await admin.upload(
            created: [["id": "new", "name": "A"], ["id": "brief", "name": "A"]],
            updated: [["id": "old", "name": "B"]], deleted: ["gone"])
        try await admin.upload(deleted: ["brief"])
        try await member.upload(created: [["id": "mine", "name": "A"]])
        try await admin.upload(updated: [["id": "mine", "name": "B"], ["id": "new", "name": "B"]])
        #expect(
            try await buckets(member, since: since, "tasks", pageSize: pageSize)
                == ["created": ["new"], "updated": ["old", "mine"], "deleted": ["gone", "brief"]])
        #expect(
            try await buckets(admin, since: since, "tasks", pageSize: pageSize)
                == ["created": ["mine"], "updated": ["old", "new"], "deleted": ["gone", "brief"]])
    }

    @Test func aRowMadeOverRestIsItsMakersOwn() async throws {
        let scene = try await Scene()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let since = try await member.head()
        let path = "/api/v1/projects/p1/risks/"
        let risk: JSON = ["id": "r", "title": "R", "probability": 1, "impact": 1]
        #expect(try await member.send("POST", path, risk.data).status == 201)
        #expect(try await buckets(member, since: since, "risks")["updated"] == ["r"])
        #expect(try await buckets(admin, since: since, "risks")["created"] == ["r"])
    }

    @Test func aRowThatAppearsBecauseOfARoleIsUpdated() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let viewer = try await scene.client(.viewer)
        let since = try await viewer.head()
        try await scene.bench.edit(as: .member) { editor in
            try editor.insert("retro_action_items", "ai2", ["retro": "re1", "text": "New"])
        }
        try await scene.setRole(of: .viewer, to: .member)
        #expect(try await buckets(viewer, since: since, "sprint_retros")["updated"] == ["re1"])
        #expect(
            try await buckets(viewer, since: since, "retro_action_items")
                == ["created": ["ai2"], "updated": ["ai1"], "deleted": []])
    }

    @Test func createdStaysEmptyUnlessAskedFor() async throws {
        let scene = try await Scene()
        let since = try await scene.client(.member).head()
        try await scene.insertTasks(["t1"])
        for value in [nil, "false"] {
            var parameters = ["since": String(since)]
            parameters["split_created"] = value
            let page = try await scene.client(.member).page(parameters)
            #expect(page.at("/changes/tasks/created") == [])
            #expect(page.at("/changes/tasks/updated")?.array?.count == 1)
        }
    }
}
