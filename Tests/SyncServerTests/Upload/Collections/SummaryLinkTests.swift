import SyncProtocol
import SyncTestKit
import Testing

/// No link between a task and one above it: `docs/protocol.md#errors`, `cyclic_dependency`.
@Suite struct SummaryLinkTests {
    /// `sum` has `mid`, which has `kid`; `far` stands alone.
    private func scene() async throws -> (Scene, Client) {
        let scene = try await Scene()
        try await scene.insertTasks(["sum", "far"])
        try await scene.insertTasks(["mid"], ["parent": "sum"])
        try await scene.insertTasks(["kid", "sister"], ["parent": "mid"])
        return (scene, try await scene.client(.scheduler))
    }

    private func link(_ from: String, _ to: String) -> JSON {
        ["id": .string("\(from)-\(to)"), "predecessor": .string(from), "successor": .string(to)]
    }

    @Test(arguments: [("sum", "mid"), ("sum", "kid"), ("kid", "sum"), ("mid", "kid")])
    func aLinkUpOrDownTheTreeIsRefused(from: String, to: String) async throws {
        let (_, client) = try await scene()
        let answer = try await client.create("dependencies", link(from, to))
        #expect(answer.verdict == "400 cyclic_dependency" && answer.errors == ["/successor cyclic_dependency"])
        #expect(answer.at("/detail")?.string?.contains("summary") == true, "\(answer.text)")
        let upload = try await client.upload("dependencies", created: [link(from, to), link("kid", "sister")])
        #expect(upload.errors == ["/changes/dependencies/created/0/successor cyclic_dependency"], "\(upload.text)")
        let lenient = try await client.upload(
            "dependencies", created: [link(from, to), link("kid", "sister"), link("far", "sum")],
            members: ["on_error": "reject_rows"])
        #expect(lenient.at("/rejected_ids/dependencies") == [.string("\(from)-\(to)")])
        #expect(try await client.drain().ids("dependencies") == ["far-sum", "kid-sister"])
    }

    @Test func aNewTreeIsJudgedWithItsLinks() async throws {
        let (_, client) = try await scene()
        let tasks: JSON = ["created": [["id": "n1", "name": "N"], ["id": "n2", "name": "N", "parent": "n1"]]]
        let links: JSON = ["created": [link("n2", "n1"), link("n2", "far")]]
        let answer = try await client.upload(
            members: ["on_error": "reject_rows", "changes": ["tasks": tasks, "dependencies": links]])
        #expect(answer.at("/rejected_ids") == ["dependencies": ["n2-n1"]], "\(answer.text)")
        #expect(try await client.drain().ids("dependencies") == ["n2-far"])
    }

    @Test func aLinkCanGetNoSuchEnd() async throws {
        let (_, client) = try await scene()
        #expect(try await client.create("dependencies", link("far", "kid")).status == 201)
        let answer = try await client.patch("dependencies", "far-kid", ["predecessor": "sum"])
        #expect(answer.verdict == "400 cyclic_dependency", "\(answer.text)")
        #expect(try await client.patch("dependencies", "far-kid", ["predecessor": "sister"]).status == 200)
    }

    @Test func aTaskCantMoveBelowOneThatItIsLinkedWith() async throws {
        let (_, client) = try await scene()
        #expect(try await client.create("dependencies", link("far", "sum")).status == 201)
        #expect(try await client.create("tasks", ["id": "deep", "name": "D", "parent": "far"]).status == 201)
        #expect(try await client.create("dependencies", link("mid", "deep")).status == 201)
        let refused = try await client.patch("tasks", "far", ["parent": "mid"])
        #expect(refused.verdict == "400 cyclic_dependency" && refused.errors == ["/parent cyclic_dependency"])
        // `deep` hangs below `far`, and is linked with `mid`.
        #expect(try await client.patch("tasks", "deep", ["parent": "kid"]).verdict == "400 cyclic_dependency")
        let batch = try await client.upload(
            updated: [["id": "far", "parent": "kid"], ["id": "sister", "parent": "sum"]],
            members: ["on_error": "reject_rows"])
        #expect(batch.at("/rejected/tasks/0/id") == "far" && batch.at("/applied/tasks/updated/0/id") == "sister")
        // Without its link it may.
        #expect(try await client.remove("dependencies", "far-sum").status == 204)
        #expect(try await client.remove("dependencies", "mid-deep").status == 204)
        #expect(try await client.patch("tasks", "far", ["parent": "mid"]).status == 200)
        let away = try await client.upload(
            members: [
                "changes": [
                    "tasks": ["updated": [["id": "kid", "parent": .null]]],
                    "dependencies": ["created": [link("kid", "sum")]],
                ]
            ])
        #expect(away.status == 200, "\(away.text)")
    }

    @Test func linksOfEarlierVersionsHoldNothingUp() async throws {
        let (scene, client) = try await scene()
        try await scene.bench.edit { editor in
            try editor.insert("dependencies", "old", ["predecessor": "sum", "successor": "kid"])
        }
        #expect(try await client.patch("tasks", "kid", ["name": "Other"]).status == 200)
        #expect(try await client.patch("dependencies", "old", ["lag": 2]).status == 200)
        #expect(try await client.patch("tasks", "kid", ["parent": "sum"]).status == 200)
        #expect(try await client.patch("tasks", "mid", ["parent": "far"]).status == 200)
        #expect(try await client.patch("tasks", "kid", ["parent": "far"]).status == 200)
        // Below `sum` again: now it would become one.
        #expect(try await client.patch("tasks", "kid", ["parent": "sum"]).verdict == "400 cyclic_dependency")
        #expect(try await client.patch("dependencies", "old", ["successor": "mid"]).status == 200)
    }
}
