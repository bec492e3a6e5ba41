import Foundation
import SyncEngine
import SyncProtocol
import SyncTestKit
import Testing

/// A batch is applied once, however often it is sent: `docs/protocol.md#retries`.
@Suite struct ReplayTests {
    private let batch = "0b5a2f0e-6f0e-4c7b-9a51-0f6f3c1f0a01"

    private func expectReplay(_ answer: Answer, of first: Answer) {
        #expect(answer.status == 200)
        #expect(answer.body == first.body)
        #expect(answer.header("Idempotent-Replayed") == "true")
    }

    @Test func aBatchSentAgainIsAnsweredByteForByteAndNotApplied() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let first = try await member.upload(updated: [["id": "t1", "name": "B"]], batch: batch)
        #expect(first.status == 200)
        #expect(first.header("Idempotent-Replayed") == nil)
        try await member.upload(updated: [["id": "t1", "name": "C"]])
        let head = try await member.head()

        expectReplay(try await member.upload(updated: [["id": "t1", "name": "B"]], batch: batch), of: first)
        #expect(try await member.head() == head)
        #expect(try await member.task("t1")?["name"] == "C")
    }

    @Test func eightAtOnceAreAppliedOnceAndAnsweredAlike() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<8 {
                group.addTask { try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.map(\.body)).count == 1)
        #expect(answers.count { $0.header("Idempotent-Replayed") == nil } == 1)
        #expect(try await member.head() == head + 1)
        #expect(try await member.task("t1")?["server_version"] == 1)
    }

    @Test func theSameIDWithAnotherBodyIsRefused() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        try await member.upload(updated: [["id": "t1", "name": "B"]], batch: batch)
        let head = try await member.head()
        for other: [JSON] in [[["id": "t1", "name": "C"]], [], [["id": "t1", "name": "B", "notes": ""]]] {
            let answer = try await member.upload(updated: other, batch: batch)
            #expect(answer.status == 422)
            #expect(answer.code == "batch_id_reused")
        }
        #expect(try await member.head() == head)
        #expect(try await member.task("t1")?["name"] == "B")
    }

    @Test func theFormOfTheBodyDoesNotMakeItAnother() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let bodies = [
            #"{"client_batch_id":"\#(batch)","changes":{"tasks":{"created":[{"id":"t1","name":"Ä","duration":2}]}}}"#,
            #"""
            {"changes": {"tasks": {"created": [{"duration": 2.0, "name": "\u00c4", "id": "t1"}]}}, \#
            "client_batch_id": "\#(batch.uppercased())"}
            """#,
            #"""
            {"client_batch_id":"\#(batch)","on_error":"reject_batch","encoding":"json","on_conflict":"overwrite",\#
            "device_id":"d","last_pulled_at":1,"changes":{"tasks":{"created":[{"id":"t1","name":"Ä","duration":2}]}}}
            """#,
        ]
        let first = try await member.send("POST", member.syncPath, bodies[0].data)
        #expect(first.status == 200)
        for body in bodies { expectReplay(try await member.send("POST", member.syncPath, body.data), of: first) }
    }

    @Test func aReplayWorksForWhoWasDemotedSince() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let first = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        try await scene.setRole(of: .member, to: .viewer)
        expectReplay(try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch), of: first)
        #expect(try await member.upload(created: [["id": "t2", "name": "A"]]).code == "forbidden")
    }

    @Test func aReplayWorksInAProjectThatWasArchivedSince() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let first = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        try await scene.archive()
        expectReplay(try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch), of: first)
    }

    @Test func aReplayNeedsALiveMembership() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        try await scene.removeMember(.member)
        let answer = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        #expect(answer.code == "membership_revoked")
    }

    @Test func anotherUsersBatchWithTheSameIDIsAnother() async throws {
        let scene = try await Scene()
        let (member, owner) = (try await scene.client(.member), try await scene.client(.owner))
        try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        let answer = try await owner.upload(created: [["id": "t2", "name": "B"]], batch: batch)
        #expect(answer.status == 200)
        #expect(answer.header("Idempotent-Replayed") == nil)
        #expect(try await owner.drain().ids("tasks") == ["t1", "t2"])
    }

    @Test func theSameIDInAnotherProjectIsAnotherBatch() async throws {
        let scene = try await Scene()
        _ = try await scene.otherProject()
        try await scene.bench.members.addMember("member-p1", to: "p2", as: .member)
        let member = try await scene.client(.member)
        let there = Client(server: scene.server, project: "p2", token: member.token)
        try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        let answer = try await there.upload(created: [["id": "t2", "name": "B"]], batch: batch)
        #expect(answer.status == 200)
        #expect(answer.header("Idempotent-Replayed") == nil)
    }

    @Test func anEmptyBatchIsRememberedToo() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let first = try await member.upload(batch: batch)
        try await scene.insertTasks(["t1"])
        expectReplay(try await member.upload(batch: batch), of: first)
    }

    @Test func aBatchIDIsForgottenAfterTheRetention() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let first = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
        scene.clock.advance(by: .seconds(720 * 3600))
        expectReplay(try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch), of: first)
        scene.clock.advance(by: .seconds(1))
        let later = try await member.upload(created: [["id": "t2", "name": "B"]], batch: batch)
        #expect(later.status == 200)
        #expect(later.header("Idempotent-Replayed") == nil)
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func aBatchOutlivesARestartOfTheServer() async throws {
        let folder = try TemporaryFolder()
        let (token, first) = try await { () async throws -> (String?, Answer) in
            let scene = try await Scene(in: folder)
            let member = try await scene.client(.member)
            let answer = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
            await scene.server.stop()
            return (member.token, answer)
        }()
        let server = try await TestServer(reopening: folder)
        let member = Client(server: server, project: "p1", token: token)
        expectReplay(try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch), of: first)
    }
}
