import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Which projects a caller may pull from and push to.
@Suite struct AccessTests {
    /// Expects the same refusal for a pull and a push.
    private func expectRefusal(_ client: Client, _ status: Int, _ code: String) async throws {
        for answer in [try await client.page(), try await client.upload(created: [["id": "t1", "name": "A"]])] {
            #expect(answer.status == status)
            #expect(answer.code == code)
        }
    }

    @Test func whoNeverWasAMemberIsRefused() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        try await expectRefusal(scene.client(named: "owner-p2"), 403, "not_a_member")
    }

    @Test func whoIsNoMemberAnyMoreIsToldSo() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let drain = try await member.drain()
        try await scene.removeMember(.member)
        try await expectRefusal(member, 403, "membership_revoked")
        #expect(try await member.page(["since": String(drain.timestamp)]).code == "membership_revoked")
    }

    @Test func whoComesBackIsAMemberAgain() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await scene.removeMember(.member)
        try await scene.setRole(of: .member, to: .viewer)
        #expect(try await member.page().status == 200)
        #expect(try await member.upload(created: [["id": "t1", "name": "A"]]).code == "forbidden")
    }

    @Test func aCursorDoesNotOutliveTheMembership() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let page = try await member.page(["page_size": "1"])
        let cursor = try #require(page.at("/next_cursor")?.string)
        try await scene.removeMember(.member)
        #expect(try await member.page(["page_size": "1", "cursor": cursor]).code == "membership_revoked")
    }

    @Test(arguments: ["nope", "P1", "p1x", "..", "%00", "p1%2Fsync", "'; drop table tasks; --"])
    func anUnknownProjectIsNotFound(id: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let path =
            id.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.union(.init(charactersIn: "%"))) ?? id
        let answer = try await member.send("GET", "/api/v1/projects/\(path)/sync/")
        #expect(answer.status == 404)
        #expect(answer.code == "not_found")
    }

    @Test func aDeletedProjectIsGone() async throws {
        let scene = try await Scene()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        try await scene.deleteProject()
        try await expectRefusal(owner, 410, "project_deleted")
        try await expectRefusal(viewer, 410, "project_deleted")
    }

    @Test func anArchivedProjectIsPulledAndNotPushed() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        try await scene.archive()
        for role in [Role.viewer, .owner] {
            #expect(try await scene.client(role).drain().ids("tasks") == ["t1"])
        }
        let pushed = try await scene.client(.owner).upload(updated: [["id": "t1", "name": "B"]])
        #expect(pushed.status == 403)
        #expect(pushed.code == "project_archived")
        #expect(try await scene.client(.owner).task("t1")?["name"] == "Task t1")
    }

    @Test func aViewersUploadIsRefused() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let viewer = try await scene.client(.viewer)
        for answer in [
            try await viewer.upload(created: [["id": "t2", "name": "A"]]), try await viewer.upload(deleted: ["t1"]),
            try await viewer.upload(updated: [["id": "t1", "name": "A"]]),
        ] {
            #expect(answer.status == 403)
            #expect(answer.code == "forbidden")
        }
        #expect(try await viewer.drain().ids("tasks") == ["t1"])
    }

    @Test func aMemberMayUpload() async throws {
        let scene = try await Scene()
        for role in [Role.member, .scheduler, .admin, .owner] {
            let created: [JSON] = [["id": .string("t-\(role.rawValue)"), "name": "A"]]
            #expect(try await scene.client(role).upload(created: created).status == 200)
        }
    }

    @Test func theListOfProjectsHoldsOnesOwn() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        let listed = try await scene.client(.viewer).send("GET", "/api/v1/projects/")
        #expect(listed.status == 200)
        #expect(listed.at("/results")?.array?.compactMap { $0["id"]?.string } == ["p1"])
        #expect(listed.at("/next") == JSON.null)
    }
}
