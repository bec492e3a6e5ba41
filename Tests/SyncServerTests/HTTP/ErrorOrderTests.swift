import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Which refusal comes first if several apply: `docs/protocol.md#errors`.
@Suite struct ErrorOrderTests {
    @Test func aPullIsJudgedFromCredentialsOverSyntaxAndProjectToCursorAndSince() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        var nobody = scene.stranger
        nobody.project = "nope"
        #expect(try await nobody.page(["since": "abc"]).code == "unauthorized")
        var viewer = try await scene.client(.viewer)
        viewer.project = "nope"
        #expect(try await viewer.page(["since": "abc", "cursor": "x"]).code == "invalid_since")
        #expect(try await viewer.page(["since": "9999", "cursor": "x"]).code == "not_found")
        viewer.project = "p2"
        #expect(try await viewer.page(["since": "9999", "cursor": "x"]).code == "not_a_member")
        viewer.project = "p1"
        #expect(try await viewer.page(["since": "9999", "cursor": "x"]).code == "invalid_cursor")
        #expect(try await viewer.page(["since": "9999"]).code == "since_ahead")
    }

    @Test func aDeletedProjectIsGoneForWhoIsNoMemberToo() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        let foreign = try await scene.client(named: "owner-p2")
        try await scene.deleteProject()
        #expect(try await foreign.page().code == "project_deleted")
    }

    @Test func anUploadIsJudgedFromCredentialsOverSyntaxAndProjectToArchiveAndRows() async throws {
        let scene = try await Scene()
        let bad: [JSON] = [["id": "t1", "status": "NOPE"]]
        let ahead: [String: JSON] = ["last_pulled_at": 9999]
        #expect(try await scene.stranger.upload(created: bad, batch: "x").code == "unauthorized")
        var viewer = try await scene.client(.viewer)
        viewer.project = "nope"
        #expect(try await viewer.upload(created: bad, batch: "x").code == "invalid_batch_id")
        #expect(try await viewer.upload(created: bad, members: ahead).code == "not_found")
        viewer.project = "p1"
        #expect(try await viewer.upload(created: bad, members: ahead).code == "since_ahead")
        #expect(try await viewer.upload(created: bad).code == "forbidden")
        let batch = UUID().uuidString
        let member = try await scene.client(.member)
        try await member.upload(batch: batch)
        try await scene.archive()
        #expect(try await viewer.upload(created: bad).code == "project_archived")
        #expect(try await member.upload(created: bad).code == "project_archived")
        #expect(try await member.upload(created: bad, batch: batch, members: ahead).code == "batch_id_reused")
    }
}
