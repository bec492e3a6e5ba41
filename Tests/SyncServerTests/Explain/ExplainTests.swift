import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Who may ask for an explanation, and what it names: `docs/protocol.md#get-adminexplain`.
@Suite struct ExplainTests {
    private func root(_ scene: Scene) async throws -> Client {
        _ = try await scene.bench.user("root", isSuperuser: true)
        return try await scene.client(named: "root")
    }

    @Test func onlySuperusersMayAsk() async throws {
        let scene = try await Scene()
        let cast = try await scene.cast()
        try await scene.insertTasks(["t"])
        for who in Who.allCases {
            let answer = try await cast[who]!.explain("member-p1", "tasks", "t")
            switch who {
            case .superuser: #expect(answer.status == 200 && answer.at("/sees") == true)
            case .anonymous: #expect(answer.code == "unauthorized")
            default: #expect(answer.status == 403 && answer.code == "forbidden", "\(who)")
            }
        }
        // Nobody else learns which users there are.
        #expect(try await cast[.owner]!.explain("nobody", "tasks", "t").code == "forbidden")
    }

    @Test func aQuestionNamesAUserACollectionAndARow() async throws {
        let scene = try await Scene()
        let root = try await root(scene)
        try await scene.insertTasks(["t"])
        let byName = try await root.explain("member-p1", "tasks", "t")
        let byID = try await root.explain(scene.userID(.member).text, "tasks", "t")
        #expect(byName.status == 200 && byName.json == byID.json)
        #expect(byName.at("/user/username") == "member-p1" && byName.at("/project") == "p1")
        #expect(try await root.send("GET", "/sync/admin/explain/?user=1&collection=tasks&id=t").status == 200)
        #expect(try await root.explain("nobody", "tasks", "t").code == "not_found")
        #expect(try await root.explain("member-p1%00", "tasks", "t").code == "not_found")
        for id in ["none", "t%00", "%20", "../t"] {
            let answer = try await root.explain("member-p1", "tasks", id)
            #expect(answer.reasons == ["no_such_row"] && answer.at("/project") == .null, "\(id)")
        }
        #expect(try await root.explain("member-p1", "projects", "none").reasons == ["no_such_project"])
        #expect(try await root.explain("member-p1", "nothing", "t").code == "unknown_collection")
        #expect(try await root.explain("member-p1", "tasks", "t", "&since=x").code == "invalid_since")
        #expect(try await root.explain("member-p1", "tasks", "t", "&until=1").code == "invalid_parameter")
        for missing in ["user=1&collection=tasks", "user=1&id=t", "collection=tasks&id=t"] {
            #expect(try await root.send("GET", "/admin/explain/?\(missing)").code == "invalid_parameter")
        }
    }

    @Test func itNamesWhoDecidedItAndWhen() async throws {
        let scene = try await Scene()
        let (root, owner) = (try await root(scene), try await scene.client(.owner))
        try await scene.insertSprint("s1")
        try await owner.create("sprint_retros", ["id": "re1", "sprint": "s1", "team_visibility": "project"])
        try await owner.create("retro_action_items", ["id": "ai1", "retro": "re1", "text": "T"])
        scene.clock.advance(by: .seconds(60))
        try await scene.client(.admin).patch("sprint_retros", "re1", ["team_visibility": "team_only"])
        let closing = try await owner.head()
        let hidden = try await root.explain("viewer-p1", "retro_action_items", "ai1")
        #expect(hidden.at("/sees") == false && hidden.at("/delivered_as") == "nothing")
        #expect(hidden.reasons == ["member", "gate", "role"])
        let gate = hidden.at("/reasons/1")
        #expect(gate?["commit"] == .int(closing) && gate?["at"] == "2026-06-01T12:01:00.000Z")
        #expect(gate?["by"]?["username"] == "admin-p1")
        #expect(gate?["detail"]?.string?.contains("sprint_retros/re1") == true)
        // The viewer saw it before, so the next drain takes it back.
        let delta = try await root.explain("viewer-p1", "retro_action_items", "ai1", "&since=\(closing - 1)")
        #expect(delta.at("/delivered_as") == "tombstone")
        let seen = try await root.explain("member-p1", "retro_action_items", "ai1")
        #expect(seen.at("/sees") == true && seen.at("/delivered_as") == "row")
        let membership = try await owner.membership(of: scene.userID(.viewer))
        try await scene.client(.admin).patch("memberships", membership, ["role": 100])
        let raised = try await root.explain("viewer-p1", "retro_action_items", "ai1")
        #expect(raised.at("/sees") == true && raised.at("/reasons/2/by/username") == "admin-p1")
        #expect(raised.at("/reasons/2/commit") == .int(try await owner.head()))
    }

    @Test func aDeleteHasItsAuthor() async throws {
        let scene = try await Scene()
        let (root, owner) = (try await root(scene), try await scene.client(.owner))
        try await scene.insertTasks(["t", "u"])
        try await owner.patch("tasks", "u", ["parent": "t"])
        scene.clock.advance(by: .seconds(60))
        try await scene.client(.scheduler).remove("tasks", "t")
        let commit = try await owner.head()
        // An upload of it stamps the tombstone again.
        try await scene.client(.member).upload(updated: [["id": "u", "name": "U"]])
        for id in ["t", "u"] {
            let answer = try await root.explain("member-p1", "tasks", id)
            #expect(answer.at("/sees") == false && answer.at("/delivered_as") == "tombstone")
            #expect(answer.reasons == ["member", "tombstone"])
            #expect(answer.at("/reasons/1/by/username") == "scheduler-p1", "\(id): \(answer.text)")
            #expect(answer.at("/reasons/1/commit") == .int(commit))
            #expect(answer.at("/reasons/1/at") == "2026-06-01T12:01:00.000Z")
        }
        try await scene.bench.purge(later: .seconds(60))
        #expect(try await root.explain("member-p1", "tasks", "u").reasons == ["no_such_row"])
        let expired = try await root.explain("member-p1", "projects", "p1", "&since=2")
        #expect(expired.reasons == ["member", "since_expired"] && expired.at("/delivered_as") == "nothing")
        let ahead = try await root.explain("member-p1", "projects", "p1", "&since=1000")
        #expect(ahead.reasons == ["member", "since_ahead"] && ahead.at("/sees") == true)
    }

    @Test func anEndedMembershipHasItsAuthor() async throws {
        let scene = try await Scene()
        let (root, owner) = (try await root(scene), try await scene.client(.owner))
        try await scene.insertTasks(["t"])
        #expect(try await root.explain("root", "tasks", "t").reasons == ["superuser"])
        try await owner.remove("memberships", try await owner.membership(of: scene.userID(.member)))
        let answer = try await root.explain("member-p1", "tasks", "t")
        #expect(answer.reasons == ["membership_revoked"] && answer.at("/sees") == false)
        #expect(answer.at("/reasons/0/by/username") == "owner-p1")
        #expect(answer.at("/reasons/0/commit") == .int(try await owner.head()))
        try await owner.create("memberships", ["user": scene.userID(.member), "role": 1])
        let back = try await root.explain("member-p1", "tasks", "t")
        #expect(back.reasons == ["member"] && back.at("/sees") == true)
        #expect(back.at("/reasons/0/by/username") == "owner-p1")
        #expect(back.at("/reasons/0/commit") == .int(try await owner.head()))
        _ = try await scene.addAlice()
        #expect(try await root.explain("alice", "tasks", "t").reasons == ["not_a_member"])
        _ = try await scene.bench.accounts.disableUser("viewer-p1")
        #expect(try await root.explain("viewer-p1", "tasks", "t").reasons == ["user_disabled"])
        #expect(try await owner.remove("projects", "p1").status == 204)
        let gone = try await root.explain("member-p1", "tasks", "t")
        #expect(gone.reasons == ["project_deleted"] && gone.at("/reasons/0/by/username") == "owner-p1")
    }

    /// A superuser learns whose a time entry is, and nothing that is in it.
    @Test func anOwnOnlyRowIsExplainedWithoutItsValues() async throws {
        let scene = try await Scene()
        let root = try await root(scene)
        try await scene.insertTasks(["t"])
        try await scene.client(.member).create(
            "time_entries",
            ["id": "te", "task": "t", "minutes": 30, "entry_date": "2026-01-05", "note": "SECRET"])
        for (user, sees) in [("member-p1", true), ("owner-p1", false), ("root", false)] {
            let answer = try await root.explain(user, "time_entries", "te")
            #expect(answer.at("/sees") == .bool(sees) && answer.reasons.last == "own_only", "\(user)")
            #expect(answer.at("/delivered_as") == (sees ? "row" : "nothing"))
            #expect(!answer.text.contains("SECRET"))
        }
    }

    @Test func aFormerOwnerIsTold() async throws {
        let team = try await Team(Scene(schemas: [HandOverTests.notes]))
        let root = try await root(team.scene)
        try await team.make("n", of: .member)
        let since = try await team.head()
        try await team.give("n", from: .member, to: .admin, .rest)
        let answer = try await root.explain("member-p1", "notes", "n", "&since=\(since)")
        #expect(answer.reasons == ["member", "own_only", "former_owner"])
        #expect(answer.at("/delivered_as") == "tombstone")
        #expect(answer.at("/reasons/2/by/username") == "member-p1")
        #expect(try await team.drain(.member, since).deleted == [RowKey("notes", "n")])
        #expect(try await root.explain("member-p1", "notes", "n").at("/delivered_as") == "nothing")
        let next = try await root.explain("admin-p1", "notes", "n", "&since=\(since)")
        #expect(next.at("/delivered_as") == "row" && next.reasons == ["member", "own_only"])
    }
}

extension Client {
    /// `GET /admin/explain/`.
    func explain(
        _ user: String, _ collection: String, _ id: String, _ more: String = ""
    ) async throws -> Answer {
        try await send("GET", "/api/v1/admin/explain/?user=\(user)&collection=\(collection)&id=\(id)\(more)")
    }
}

extension Answer {
    /// The codes of an explanation's reasons.
    var reasons: [String] { (at("/reasons")?.array ?? []).compactMap { $0["code"]?.string } }
}
