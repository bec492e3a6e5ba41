import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Every refusal is a problem document: `docs/protocol.md#errors`.
@Suite struct ProblemFormTests {
    private func expectProblem(_ answer: Answer, _ status: Int, _ code: String) {
        #expect(answer.status == status, "\(code)")
        #expect(answer.header("Content-Type") == "application/problem+json", "\(code)")
        #expect(answer.at("/type") == "about:blank", "\(code)")
        #expect(answer.at("/title")?.string?.isEmpty == false, "\(code)")
        #expect(answer.at("/status") == .int(Int64(status)), "\(code)")
        #expect(answer.at("/detail")?.string?.isEmpty == false, "\(code)")
        #expect(answer.at("/code") == .string(code))
        #expect(answer.at("/errors")?.array != nil, "\(code)")
        #expect(ErrorCode(rawValue: code) != nil, "\(code)")
    }

    @Test func everyRefusalOfAPullIsAProblemDocument() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        let viewer = try await scene.client(.viewer)
        let foreign = try await scene.client(named: "owner-p2")
        expectProblem(try await scene.stranger.page(), 401, "unauthorized")
        expectProblem(try await foreign.page(), 403, "not_a_member")
        expectProblem(try await viewer.send("GET", "/nope"), 404, "not_found")
        expectProblem(try await viewer.send("GET", "/projects/nope/sync"), 404, "not_found")
        expectProblem(try await viewer.send("PUT", viewer.syncPath), 405, "method_not_allowed")
        expectProblem(try await viewer.page(["since": "abc"]), 400, "invalid_since")
        expectProblem(try await viewer.page(["since": "9999"]), 409, "since_ahead")
        expectProblem(try await viewer.page(["cursor": "abc"]), 400, "invalid_cursor")
        expectProblem(try await viewer.page(["page_size": "abc"]), 400, "invalid_page_size")
        expectProblem(try await viewer.page(["collections": "abc"]), 400, "unknown_collection")
        try await scene.deleteProject()
        expectProblem(try await viewer.page(), 410, "project_deleted")
    }

    @Test func everyRefusalOfAnUploadIsAProblemDocument() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let other = try await scene.otherProject()
        try await other.edit { try $0.insert("tasks", "theirs", ["name": "Theirs"]) }
        let id = UUID().uuidString
        expectProblem(try await member.send("POST", member.syncPath, Data("{".utf8)), 400, "invalid_json")
        expectProblem(try await member.post([]), 400, "invalid_body")
        expectProblem(try await member.post(["changes": [:]]), 400, "invalid_batch_id")
        expectProblem(
            try await member.post(["client_batch_id": .string(id), "changes": ["memberships": [:]]]), 400,
            "collection_not_uploadable")
        expectProblem(try await member.upload(created: [["id": "t1"]]), 400, "invalid_rows")
        expectProblem(try await member.upload(updated: [["id": "theirs", "name": "Mine"]]), 409, "id_unavailable")
        expectProblem(
            try await member.upload(created: [["id": "t1", "name": "A", "total_float": 1]]), 403, "field_forbidden")
        expectProblem(try await member.upload(members: ["last_pulled_at": 9999]), 409, "since_ahead")
        expectProblem(
            try await scene.client(.viewer).upload(created: [["id": "t9", "name": "A"]]), 403, "forbidden")
        try await member.upload(batch: id)
        expectProblem(try await member.upload(deleted: ["t1"], batch: id), 422, "batch_id_reused")
        let tooMany = (0...500).map { JSON.string("t\($0)") }
        expectProblem(try await member.upload(deleted: tooMany), 400, "batch_too_large")
        try await scene.archive()
        expectProblem(try await member.upload(), 403, "project_archived")
    }

    @Test func everyRowAtFaultIsNamedWithPointerCollectionIDFieldCodeAndDetail() async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).upload(created: [["id": "t1", "name": "A", "duration": -1]])
        let error = try #require(answer.at("/errors/0"))
        #expect(error["pointer"] == "/changes/tasks/created/0/duration")
        #expect(error["collection"] == "tasks")
        #expect(error["id"] == "t1")
        #expect(error["field"] == "duration")
        #expect(error["code"] == "out_of_range")
        #expect(error["detail"]?.string?.isEmpty == false)
    }
}
