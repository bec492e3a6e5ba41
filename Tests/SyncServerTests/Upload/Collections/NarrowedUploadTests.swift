import Foundation
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// With `TIDEMARK_SYNC_UPLOAD_COLLECTIONS=tasks`, a server takes only tasks, as the first version did.
@Suite struct NarrowedUploadTests {
    private func scene() async throws -> Scene {
        try await Scene(registry: Registry.builtIn().limitingUploads(to: ["tasks"]))
    }

    @Test(arguments: ["risks", "time_entries", "calendars", "projects", "memberships", "nope"])
    func everyOtherCollectionIsRefusedWhole(name: String) async throws {
        let scene = try await scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(members: [
            "changes": .object(["tasks": ["created": [["id": "t1", "name": "A"]]], name: ["created": []]])
        ])
        #expect(answer.verdict == "400 collection_not_uploadable")
        #expect(try await member.task("t1") == nil)
        #expect(try await member.upload(created: [["id": "t1", "name": "A"]]).status == 200)
    }

    @Test func theServedSchemasSayIt() async throws {
        let scene = try await scene()
        let collections = try await scene.client(.viewer).send("GET", "/schemas/").at("/collections")?.array ?? []
        let uploadable = collections.filter { $0["x-uploadable"] == true }.compactMap { $0["title"]?.string }
        #expect(uploadable == ["tasks"])
        #expect(collections.count == 14)
    }

    @Test func theOtherCollectionsAreStillWrittenOverREST() async throws {
        let scene = try await scene()
        let member = try await scene.client(.member)
        let fields: JSON = ["title": "R", "probability": 1, "impact": 1, "modified_at": "2026-05-01T10:00:00.000Z"]
        #expect(try await member.create("risks", fields).status == 201)
    }

    @Test func theStockPushTakesTasksAndIgnoresEmptyBuckets() async throws {
        let scene = try await scene()
        let member = try await scene.client(.member)
        let empty: JSON = ["created": [], "updated": [], "deleted": []]
        let tasks: JSON = ["created": [["id": "t1", "name": "A"]], "updated": [], "deleted": []]
        let path = member.syncPath + "?last_pulled_at=0"
        let answer = try await member.send("POST", path, (["tasks": tasks, "risks": empty] as JSON).data)
        #expect(answer.status == 200, "\(answer.text)")
        let risks: JSON = ["created": [["id": "r1"]], "updated": [], "deleted": []]
        let refused = try await member.send("POST", path, (["tasks": tasks, "risks": risks] as JSON).data)
        #expect(refused.verdict == "400 collection_not_uploadable")
    }
}
