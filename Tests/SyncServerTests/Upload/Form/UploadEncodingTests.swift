import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// `encoding: watermelondb` in a batch.
@Suite struct UploadEncodingTests {
    private static let members: [String: JSON] = ["encoding": "watermelondb"]

    @Test func millisecondsAndNumberedFlagsAreTaken() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(
            created: [
                ["id": "t1", "name": "A", "modified_at": 1_780_315_200_123, "is_milestone": 1, "is_subtask": 0],
                ["id": "t2", "name": "B", "modified_at": -1.5, "is_milestone": true],
                ["id": "t3", "name": "C", "modified_at": .null, "duration": 1],
            ], members: Self.members)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await member.task("t1")?["modified_at"] == "2026-06-01T12:00:00.123Z")
        #expect(try await member.task("t1")?["is_milestone"] == true)
        #expect(try await member.task("t1")?["is_subtask"] == false)
        #expect(try await member.task("t2")?["modified_at"] == "1969-12-31T23:59:59.998Z")
        #expect(try await member.task("t3")?["modified_at"] == .null)
        #expect(try await member.task("t3")?["duration"] == 1)
    }

    @Test func aRowSentBackAsItWasPulledChangesNothing() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], ["modified_at": "2026-06-01T12:00:00.123Z", "is_milestone": true])
        let member = try await scene.client(.member)
        let head = try await member.head()
        let page = try await member.page(["encoding": "watermelondb"])
        let row = try #require(page.at("/changes/tasks/updated/0"))
        #expect(try await member.upload(updated: [row], members: Self.members).status == 200)
        #expect(try await member.head() == head)
    }

    @Test(arguments: [253_402_300_800_000, 1e300, "tomorrow", true] as [JSON])
    func anInstantThatIsNoneIsRefusedAtItsPlace(value: JSON) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).upload(
            created: [["id": "t1", "name": "A"], ["id": "t2", "name": "B", "modified_at": value]],
            members: Self.members)
        #expect(answer.status == 400)
        #expect(answer.errors.map { $0.split(separator: " ")[0] } == ["/changes/tasks/created/1/modified_at"])
        #expect(answer.at("/errors/0/detail")?.string?.contains("milliseconds") == true)
    }

    @Test func withoutTheEncodingNumbersAreNoInstants() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for fields in [["modified_at": 5], ["is_milestone": 1]] as [[String: JSON]] {
            let row = JSON.object(fields.merging(["id": "t1", "name": "A"]) { $1 })
            #expect(try await member.upload(created: [row]).code == "invalid_rows")
        }
    }

    @Test func theEncodingIsPartOfTheBatch() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let batch = UUID().uuidString
        let row: JSON = ["id": "t1", "name": "A"]
        #expect(try await member.upload(created: [row], batch: batch, members: Self.members).status == 200)
        #expect(try await member.upload(created: [row], batch: batch).code == "batch_id_reused")
        let replay = try await member.upload(created: [row], batch: batch, members: Self.members)
        #expect(replay.header("Idempotent-Replayed") == "true")
    }

    @Test(arguments: ["xml", "", 1, .null] as [JSON]) func anotherEncodingIsRefused(encoding: JSON) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).upload(members: ["encoding": encoding])
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
    }
}
