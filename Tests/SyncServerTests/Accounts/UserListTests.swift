import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// `GET /users/`.
@Suite struct UserListTests {
    private func names(_ client: Client, _ query: String = "") async throws -> [String] {
        let answer = try await client.send("GET", "/api/v1/users/" + query)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.at("/results")?.array?.compactMap { $0["username"]?.string } ?? []
    }

    private var own: [String] { ["owner-p1", "admin-p1", "scheduler-p1", "member-p1", "viewer-p1"] }

    @Test func oneSeesThoseWithWhomOneSharesALiveProject() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await scene.addAlice()
        let viewer = try await scene.client(.viewer)
        #expect(try await names(viewer) == own)
        try await scene.bench.members.addMember("viewer-p1", to: "p2", as: .viewer)
        #expect(try await names(viewer).sorted() == (own + own.map { $0.replacing("p1", with: "p2") }).sorted())
        try await other.edit { try $0.delete("projects", "p2") }
        #expect(try await names(viewer) == own)
        try await scene.removeMember(.viewer)
        #expect(try await names(viewer) == ["viewer-p1"])
        #expect(try await !names(scene.client(.owner)).contains("viewer-p1"))
    }

    @Test func whoIsInNoProjectSeesThemselvesAndASuperuserSeesAll() async throws {
        let scene = try await Scene()
        try await scene.addAlice()
        #expect(try await names(scene.client(named: "alice")) == ["alice"])
        _ = try await scene.bench.accounts.addUser("root", isSuperuser: true)
        #expect(try await names(scene.client(named: "root")) == own + ["alice", "root"])
    }

    @Test func aUserIsToldByIDAndNamesAlone() async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.viewer).send("GET", "/api/v1/users/?limit=1")
        #expect(
            answer.at("/results/0") == [
                "id": scene.userID(.owner), "username": "owner-p1", "display_name": "owner-p1",
            ])
        #expect(answer.at("/next") == .string(scene.userID(.owner).text))
    }

    @Test func theListIsPagedByID() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        var (found, after): ([String], String?) = ([], "0")
        while let position = after {
            let page = try await viewer.send("GET", "/api/v1/users/?limit=2&after=\(position)")
            found += page.at("/results")?.array?.compactMap { $0["username"]?.string } ?? []
            after = page.at("/next")?.string
        }
        #expect(found == own)
    }

    @Test func theMembersOfAProjectAreForItsMembers() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        let viewer = try await scene.client(.viewer)
        #expect(try await names(viewer, "?project=p1") == own)
        for (project, status, code) in [
            ("p2", 403, "not_a_member"), ("nope", 404, "not_found"), ("p1%00", 404, "not_found"),
        ] {
            let answer = try await viewer.send("GET", "/api/v1/users/?project=\(project)")
            #expect(answer.status == status)
            #expect(answer.code == code)
        }
        try await scene.removeMember(.member)
        #expect(try await names(viewer, "?project=p1") == own.filter { $0 != "member-p1" })
        let gone = try await scene.client(.member).send("GET", "/api/v1/users/?project=p1")
        #expect(gone.code == "membership_revoked")
        try await scene.deleteProject()
        #expect(try await viewer.send("GET", "/api/v1/users/?project=p1").code == "project_deleted")
    }

    @Test func anyUserIsFoundByNameByWhoeverMayAddMembers() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        let id = try await scene.addAlice()
        for role in [Role.viewer, .member, .scheduler] {
            let client = try await scene.client(role)
            #expect(try await names(client, "?username=alice") == [])
            #expect(try await names(client, "?username=owner-p2") == [])
            #expect(try await names(client, "?username=owner-p1") == ["owner-p1"])
        }
        for role in [Role.admin, .owner] {
            let answer = try await scene.client(role).send("GET", "/api/v1/users/?username=alice")
            #expect(answer.at("/results/0/id") == .int(id))
            #expect(answer.at("/next") == JSON.null)
        }
        let admin = try await scene.client(.admin)
        #expect(try await names(admin, "?username=ali") == [])
        #expect(try await names(admin, "?username=Alice") == [])
        #expect(try await names(admin, "?username=alice%00") == [])
        #expect(try await names(admin, "?username=alice&project=p1") == [])
        #expect(try await names(admin, "?username=viewer-p1&project=p1") == ["viewer-p1"])
        try await scene.deleteProject()
        #expect(try await names(admin, "?username=alice") == [])
    }

    @Test func aRenamedUserComesWithTheNextDrainOfEachProject() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await scene.bench.members.addMember("viewer-p1", to: "p2", as: .viewer)
        let viewer = try await scene.client(.viewer)
        let before = try await viewer.head()
        let otherHead = try await other.store.read { try $0.project("p2")?.head.rawValue }
        #expect(try await scene.bench.members.rename("viewer-p1", displayName: "Vera") == 2)
        let drain = try await viewer.drain(since: before)
        #expect(drain.timestamp == before + 1)
        #expect(drain.rows.values.map { $0["display_name"] } == ["Vera"])
        #expect(drain.rows.values.map { $0["server_version"] } == [2])
        #expect(try await other.store.read { try $0.project("p2")?.head.rawValue } == otherHead.map { $0 + 1 })
        #expect(try await viewer.me().at("/display_name") == "Vera")
        #expect(try await scene.bench.members.rename("viewer-p1", displayName: "Vera") == 0)
        #expect(try await viewer.head() == before + 1)
    }
}
