import SyncAccounts
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// `GET /admin/rejected/`.
@Suite struct LostEditListTests {
    private let scene: Scene
    private let root: Client

    init() async throws {
        scene = try await Scene()
        root = try await scene.superuser()
    }

    private func rows(_ query: String = "") async throws -> [JSON] {
        let answer = try await root.send("GET", "/admin/rejected/\(query)")
        #expect(answer.status == 200)
        return answer.json["results"]?.array ?? []
    }

    /// Edits of two users that are refused, the oldest first.
    private func loseEdits() async throws {
        for (role, id) in [(.member, "a"), (.admin, "b"), (.member, "c")] as [(Role, String)] {
            try await scene.client(role).upload(
                created: [["id": .string(id), "name": 7]], members: ["on_error": "reject_rows"])
        }
    }

    @Test func onlySuperusersRead() async throws {
        for (who, client) in try await scene.cast() {
            let answer = try await client.send("GET", "/admin/rejected/")
            let expected = who == .superuser ? 200 : who == .anonymous ? 401 : 403
            #expect(answer.status == expected, "\(who)")
        }
    }

    @Test func editsOfAllUsersAreListedNewestFirstWithoutTheirValues() async throws {
        try await loseEdits()
        let rows = try await rows()
        #expect(rows.map { $0["row_id"] } == ["c", "b", "a"])
        let user = scene.userID(.admin)
        #expect(rows[1]["user_id"] == user && rows[1]["username"] == "admin-p1" && rows[1]["project_id"] == "p1")
        #expect(rows[1]["code"] == "wrong_type" && rows[1]["collection"] == "tasks" && rows[1]["field"] == .null)
        #expect(rows[1]["client_batch_id"]?.string?.count == 36)
        let members = Set(try #require(rows[1].object).keys)
        #expect(members.isDisjoint(with: ["sent", "kept"]) && members.count == 10)
    }

    @Test func theListIsFilteredAndPaged() async throws {
        try await loseEdits()
        let member = scene.bench.caller(.member).userID
        #expect(try await rows("?user=\(member)").map { $0["row_id"] } == ["c", "a"])
        #expect(try await rows("?project=p1&limit=1").map { $0["row_id"] } == ["c"])
        #expect(try await rows("?project=p2").isEmpty)
        let first = try await root.send("GET", "/admin/rejected/?limit=2").json
        let next = try #require(first["next"]?.string)
        let second = try await root.send("GET", "/admin/rejected/?limit=2&after=\(next)").json
        #expect(second.at("/results/0/row_id") == "a" && second["next"] == .null)
        for query in ["?user=x", "?limit=0", "?after=x", "?users=1"] {
            #expect(try await root.send("GET", "/admin/rejected/\(query)").code == "invalid_parameter", "\(query)")
        }
    }

    @Test func whatIsTooOldForItsAuthorIsNotListed() async throws {
        try await loseEdits()
        let days = SyncSettings().inboxRetentionDays
        scene.clock.advance(by: .seconds(days * 86_400))
        #expect(try await rows().count == 3)
        scene.clock.advance(by: .milliseconds(1))
        #expect(try await rows().isEmpty)
    }
}
