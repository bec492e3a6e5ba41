import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Rows that are for the users in some of their fields, and for a role.
@Suite struct ListedTests {
    private let scene: ListedScene

    init() async throws { scene = try await ListedScene() }

    private func client(_ role: Role) -> Client { scene.client(role) }

    private func statuses(_ name: String, _ id: String) async throws -> [Int] {
        var statuses: [Int] = []
        for role in ListedScene.roles { statuses.append(try await Int(client(role).read(name, id).status)) }
        return statuses
    }

    // MARK: Who sees a row

    @Test func itIsForThoseWhoAreNamedAndForTheRole() async throws {
        try await scene.inspect("i", by: .viewer, .member)
        #expect(try await statuses("inspections", "i") == [200, 200, 404, 200])
        for (role, ids) in [(Role.viewer, ["i"]), (.member, ["i"]), (.scheduler, []), (.admin, ["i"])] {
            let drain = try await scene.drain(role)
            #expect(drain.rows == ids && drain.deleted == [], "\(role)")
            let list = try await client(role).list("inspections").json["results"]?.array ?? []
            #expect(list.compactMap { $0["id"]?.string } == ids, "\(role)")
        }
        try scene.checkDatabase()
    }

    @Test func withoutARoleNobodyElseSeesIt() async throws {
        let scene = try await ListedScene(ListedScene.schemas(role: nil))
        try await scene.inspect("i", by: .viewer)
        #expect(try await scene.client(.admin).read("inspections", "i").status == 404)
        #expect(try await scene.drain(.admin).rows == [])
        #expect(try await scene.drain(.viewer).rows == ["i"])
        try scene.checkDatabase()
    }

    @Test(arguments: [1, 1000]) func whatIsBelowIsForTheSame(pageSize: Int) async throws {
        try await scene.inspect("i", by: .viewer)
        try await scene.add("findings", "f", to: "i", by: .viewer)
        try await scene.add("photos", "p", to: "f", by: .admin)
        #expect(try await scene.drain(.viewer, pageSize: pageSize).rows == ["f", "i", "p"])
        #expect(try await scene.drain(.member, pageSize: pageSize).rows == [])
        #expect(try await statuses("photos", "p") == [200, 404, 404, 200])
        let answer = try await client(.member).create("photos", ["id": "q", "above": "f"])
        #expect(answer.at("/errors/0/code") == "unknown_reference", "\(answer.text)")
        try scene.checkDatabase()
    }

    // MARK: Hand-overs

    @Test(arguments: [1, 2, 1000]) func whoComesHasAllAndWhoGoesNothing(pageSize: Int) async throws {
        try await scene.inspect("i", by: .viewer)
        try await scene.add("findings", "f", to: "i", by: .viewer)
        try await scene.add("photos", "p", to: "f", by: .viewer)
        let since = try await scene.head()
        try await client(.admin).patch("inspections", "i", ["assignee": scene.user(.member)])
        let former = try await scene.drain(.viewer, since: since, pageSize: pageSize)
        #expect(former.deleted == ["f", "i", "p"] && former.rows == [])
        let next = try await scene.drain(.member, since: since, pageSize: pageSize)
        #expect(next.rows == ["f", "i", "p"] && next.deleted == [])
        let other = try await scene.drain(.scheduler, since: since, pageSize: pageSize)
        #expect(other.rows == [] && other.deleted == [])
        #expect(try await scene.drain(.admin, since: since, pageSize: pageSize).rows == ["i"])
        let again = try await scene.drain(.viewer, since: former.at, pageSize: pageSize)
        #expect(again.rows == [] && again.deleted == [])
        #expect(try await scene.drain(.viewer, pageSize: pageSize).deleted == [], "nothing of it in a drain from 0")
        try scene.checkDatabase()
    }

    @Test func aFindingThatMovesChangesHandsToo() async throws {
        try await scene.inspect("i", by: .viewer)
        try await scene.inspect("j", by: .member)
        try await scene.add("findings", "f", to: "i", by: .viewer)
        try await scene.add("photos", "p", to: "f", by: .viewer)
        let since = try await scene.head()
        try await client(.admin).patch("findings", "f", ["above": "j"])
        #expect(try await scene.drain(.viewer, since: since).deleted == ["f", "p"])
        #expect(try await scene.drain(.member, since: since).rows == ["f", "p"])
        try scene.checkDatabase()
    }

    @Test func aRowThatIsHandedOverAndDeletedIsNamedToThoseWhoHadIt() async throws {
        try await scene.inspect("i", by: .viewer)
        let since = try await scene.head()
        let update: JSON = ["id": "i", "assignee": scene.user(.member)]
        #expect(try await client(.viewer).upload("inspections", updated: [update], deleted: ["i"]).status == 200)
        #expect(try await scene.drain(.viewer, since: since).deleted == ["i"])
        #expect(try await scene.drain(.member, since: since).deleted == [])
        try scene.checkDatabase()
    }

    @Test func aMakerWhoIsNotNamedLosesTheRow() async throws {
        let since = try await scene.head()
        let row: JSON = ["id": "i", "assignee": scene.user(.member)]
        #expect(try await client(.viewer).upload("inspections", created: [row]).status == 200)
        let maker = try await scene.drain(.viewer, since: since)
        #expect(maker.deleted == ["i"] && maker.rows == [])
        #expect(try await scene.drain(.member, since: since).rows == ["i"])
        #expect(try await scene.drain(.viewer).deleted == [])
        try scene.checkDatabase()
    }

    @Test func anEditOfSomebodyWhoWasNamedIsSkipped() async throws {
        try await scene.inspect("i", by: .viewer, .member)
        try await client(.member).patch("inspections", "i", ["assignee": nil])
        let since = try await scene.head()
        let answer = try await client(.viewer).upload("inspections", updated: [["id": "i", "text": "late"]])
        #expect(answer.status == 200 && answer.at("/skipped/inspections/0/code") == "deleted", "\(answer.text)")
        #expect(try await scene.drain(.viewer, since: since).deleted == ["i"], "it is told again")
        let stranger = try await client(.scheduler).upload("inspections", updated: [["id": "i", "text": "who"]])
        #expect(stranger.at("/errors/0/code") == "id_unavailable", "\(stranger.text)")
    }

    // MARK: Roles and memberships

    @Test(arguments: [1, 1000]) func aRoleThatFallsTakesBackWhatItShowed(pageSize: Int) async throws {
        for id in ["i", "j", "k"] { try await scene.inspect(id, by: .viewer) }
        try await client(.viewer).patch("inspections", "j", ["reviewers": [scene.user(.admin)]])
        let since = try await scene.head()
        try await scene.scene.setRole(of: .admin, to: .member)
        let fallen = try await scene.drain(.admin, since: since, pageSize: pageSize)
        #expect(fallen.deleted == ["i", "k"] && fallen.rows == [])
        try await client(.viewer).remove("inspections", "i")
        try await client(.viewer).patch("inspections", "k", ["text": "unseen"])
        let later = try await scene.drain(.admin, since: fallen.at, pageSize: pageSize)
        #expect(later.rows == [] && later.deleted == [])
        try await scene.scene.setRole(of: .admin, to: .owner)
        #expect(try await scene.drain(.admin, since: later.at, pageSize: pageSize).rows == ["j", "k"])
        try scene.checkDatabase()
    }

    @Test func whoLeavesAndComesBackHasWhatNamesThem() async throws {
        try await scene.inspect("i", by: .viewer)
        try await client(.viewer).patch("inspections", "i", ["reviewers": [scene.user(.member)]])
        try await scene.scene.removeMember(.member)
        #expect(try await client(.viewer).read("inspections", "i").at("/reviewers") == [scene.user(.member)])
        try await scene.scene.setRole(of: .member, to: .viewer)
        #expect(try await scene.drain(.member).rows == ["i"])
        try await scene.scene.removeMember(.viewer)
        #expect(try await client(.admin).read("inspections", "i").at("/assignee") == .null)
        try scene.checkDatabase()
    }
}
