import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// `GET /admin/explain/` with a filter says what a pull of the part has.
@Suite struct FilterExplainTests {
    private struct Asker {
        let client: Client
        let filter: String

        func explain(_ key: RowKey, since: Int64 = 0) async throws -> Answer {
            let query = Client.query(["filter": filter, "since": String(since)]).dropFirst()
            return try await client.explain("member-p1", key.collection, key.id, "&\(query)")
        }
    }

    private func asker(_ scene: Scene, _ filter: String) async throws -> Asker {
        _ = try await scene.bench.user("root", isSuperuser: true)
        return Asker(client: try await scene.client(named: "root"), filter: filter)
    }

    private func expect(
        _ rows: Set<RowKey>, _ delivery: String, from since: Int64 = 0, _ asker: Asker
    ) async throws {
        for key in rows {
            let answer = try await asker.explain(key, since: since)
            #expect(answer.at("/delivered_as") == .string(delivery), "\(key): \(answer.text)")
        }
    }

    @Test func itIsWhatThePullHas() async throws {
        let scene = try await Scene()
        try await scene.fillParts()
        let asker = try await asker(scene, Scene.mine)
        let member = try await scene.client(.member)
        let all = Set(try await member.filteredDrain("{}").updated.keys)
        let first = try await member.filteredDrain(Scene.mine)
        try await expect(Set(first.updated.keys), "row", asker)
        try await expect(all.subtracting(first.updated.keys), "nothing", asker)
        try await scene.bench.edit { editor in
            try editor.update("tasks", "a1", ["assignee": nil])
            try editor.update("tasks", "b1", ["assignee": scene.userID(.member)])
        }
        let next = try await member.filteredDrain(Scene.mine, was: "same", since: first.timestamp)
        try await expect(Set(next.updated.keys), "row", from: first.timestamp, asker)
        try await expect(next.left, "left", from: first.timestamp, asker)
        let others = all.subtracting(next.updated.keys).subtracting(next.left)
        #expect(next.updated.count == 2 && next.left == Scene.ofA1 && !others.isEmpty)
        try await expect(others, "nothing", from: first.timestamp, asker)
    }

    @Test func itSaysWhetherTheFilterHasTheRowAndByWhat() async throws {
        let scene = try await Scene()
        try await scene.fillParts()
        let asker = try await asker(scene, Scene.mine)
        let inside = try await asker.explain(RowKey("task_links", "la1"))
        #expect(inside.reasons == ["member", "in_part"])
        #expect(inside.at("/reasons/1/detail") == "The filter has it, which goes by tasks/a1.")
        let outside = try await asker.explain(RowKey("tasks", "b1"))
        #expect(outside.reasons == ["member", "outside_part"])
        #expect(outside.at("/reasons/1/detail") == "The filter does not have it.")
        #expect(try await asker.explain(RowKey("risks", "r1")).reasons == ["member"], "risks come whole")
        let broken = Asker(client: asker.client, filter: "x")
        #expect(try await broken.explain(RowKey("tasks", "a1")).code == "invalid_filter")
    }
}
