import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Fields that hold several users.
@Suite struct UsersFieldTests {
    private static func schema(_ onLeave: String = "clear", isFilterable: Bool = true) -> JSON {
        OwnSchemas.notes([
            "reviewers": [
                "type": "array", "items": ["type": "integer"], "maxItems": 3, "default": [],
                "x-user": ["on-leave": .string(onLeave)], "x-filterable": .bool(isFilterable),
            ],
            "text": ["type": "string", "default": ""],
        ])
    }

    private let scene: Scene
    private let member: Client
    private let me: JSON
    private let admin: JSON

    init() async throws { try await self.init(Self.schema()) }

    private init(_ schema: JSON) async throws {
        scene = try await Scene(schemas: [schema])
        member = try await scene.client(.member)
        (me, admin) = (scene.userID(.member), scene.userID(.admin))
    }

    private func reviewers(_ id: String) async throws -> JSON? {
        try await member.read("notes", id).at("/reviewers")
    }

    private func checkDatabase() throws {
        guard TestEngine.isSQLite else { return }
        #expect(try DatabaseCheck(path: scene.folder.path("t.db")).run().findings == [])
    }

    @Test func membersAreListedEachOnce() async throws {
        #expect(try await member.create("notes", ["id": "n", "reviewers": [me, admin]]).status == 201)
        #expect(try await reviewers("n") == [me, admin])
        let stranger: JSON = .int(try await scene.bench.user("eve"))
        for (list, code) in [
            ([me, me], "inconsistent"), ([stranger], "unknown_user"), (["me"], "wrong_type"),
            ([me, admin, scene.userID(.owner), scene.userID(.viewer)], "too_long"),
        ] as [(JSON, String)] {
            let answer = try await member.patch("notes", "n", ["reviewers": list])
            #expect(answer.status == 400 && answer.at("/errors/0/code") == .string(code), "\(answer.text)")
        }
        #expect(try await reviewers("n") == [me, admin])
        try checkDatabase()
    }

    @Test func whoLeavesLeavesTheLists() async throws {
        try await member.create("notes", ["id": "n", "reviewers": [admin, me]])
        let since = try await member.head()
        try await scene.removeMember(.admin)
        let drain = try await member.drain(since: since)
        #expect(drain.rows[RowKey("notes", "n")]?["reviewers"] == [me])
        try checkDatabase()
    }

    @Test func anUploadLeavesOutWhoHasLeft() async throws {
        try await member.create("notes", ["id": "n"])
        try await scene.removeMember(.admin)
        let answer = try await member.upload("notes", updated: [["id": "n", "reviewers": [admin, me]]])
        #expect(
            answer.at("/repaired/notes")
                == [["id": "n", "field": "reviewers", "from": [admin, me], "to": [me]]], "\(answer.text)")
        #expect(try await reviewers("n") == [me])
        let unknown = try await member.upload(
            "notes", updated: [["id": "n", "reviewers": [.int(987_654_321)]]], members: ["on_error": "reject_rows"])
        #expect(unknown.at("/rejected/notes/0/code") == "unknown_user", "\(unknown.text)")
        try checkDatabase()
    }

    /// With `keep`, who has left stays where others are added.
    @Test func keptUsersDoNotStandInTheWay() async throws {
        let kept = try await UsersFieldTests(Self.schema("keep"))
        try await kept.member.create("notes", ["id": "n", "reviewers": [kept.admin]])
        try await kept.scene.removeMember(.admin)
        #expect(try await kept.reviewers("n") == [kept.admin])
        let both: JSON = [kept.admin, kept.me]
        #expect(try await kept.member.patch("notes", "n", ["reviewers": both]).status == 200)
        #expect(try await kept.member.upload("notes", updated: [["id": "n", "reviewers": both]]).status == 200)
        #expect(try await kept.reviewers("n") == both)
        #expect(try await kept.member.patch("notes", "n", ["reviewers": [kept.me]]).status == 200)
        let again = try await kept.member.patch("notes", "n", ["reviewers": both])
        #expect(again.at("/errors/0/code") == "unknown_user")
        try kept.checkDatabase()
    }

    @Test func aPartAsksForThem() async throws {
        try await member.create("notes", ["id": "mine", "reviewers": [admin, me]])
        try await member.create("notes", ["id": "other", "reviewers": [admin]])
        let filter = #"{"notes":[{"reviewers":{"has":"@me"}}]}"#
        let first = try await member.filteredDrain(filter)
        #expect(first.ids("notes") == ["mine"])
        let admin = try await scene.client(.admin)
        try await admin.patch("notes", "other", ["reviewers": [me]])
        try await admin.patch("notes", "mine", ["reviewers": []])
        let next = try await member.filteredDrain(filter, was: filter, since: first.timestamp)
        #expect(next.ids("notes") == ["other"] && next.left == [RowKey("notes", "mine")])
        try checkDatabase()
    }
}
