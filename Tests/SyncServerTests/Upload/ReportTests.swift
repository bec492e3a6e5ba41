import SyncProtocol
import SyncTestKit
import Testing

/// What an answer to a batch looks like, and what the batch did: `docs/protocol.md#the-answer`.
@Suite struct ReportTests {
    @Test func eachRowIsReportedInTheBucketThatItWasSentIn() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "t3"])
        let member = try await scene.client(.member)
        let batch = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
        let head = try await member.head()
        let answer = try await member.upload(
            created: [["id": "new", "name": "New"]], updated: [["id": "t1", "name": "B"], ["id": "t2", "name": "C"]],
            deleted: ["t3"], batch: batch)
        #expect(answer.status == 200)
        #expect(
            answer.json == [
                "client_batch_id": .string(batch.lowercased()), "timestamp": .int(head + 1),
                "applied": [
                    "tasks": [
                        "created": [["id": "new", "server_version": 1]],
                        "updated": [["id": "t1", "server_version": 2], ["id": "t2", "server_version": 2]],
                        "deleted": ["t3"],
                    ]
                ],
                "skipped": [:], "conflicts": [:], "rejected": [:], "rejected_ids": [:], "repaired": [:],
            ])
    }

    @Test func theNextDrainCarriesWhatTheBatchDid() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "t3"])
        let member = try await scene.client(.member)
        let head = try await member.head()
        let answer = try await member.upload(
            created: [["id": "new", "name": "New"]], updated: [["id": "t1", "name": "B"]], deleted: ["t3"])
        let drain = try await member.drain(since: head)
        #expect(.int(drain.timestamp) == answer.at("/timestamp"))
        #expect(drain.ids("tasks") == ["new", "t1"])
        #expect(drain.isDeleted("tasks", "t3"))
        #expect(drain.row("tasks", "t1")?["name"] == "B")
        #expect(drain.row("tasks", "t1")?["server_version"] == 2)
    }

    @Test func aBatchDrawsOneCommitNumberForAllItsRows() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let rows = (0..<500).map { ["id": .string("t\($0)"), "name": "A"] as JSON }
        let answer = try await member.upload(created: rows)
        #expect(answer.at("/applied/tasks/created")?.array?.count == 500)
        #expect(answer.at("/timestamp") == .int(head + 1))
        #expect(try await member.drain(since: head).ids("tasks").count == 500)
    }

    @Test func anEmptyBatchAnswersTheHead() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        for answer in [try await member.post(Batch.empty), try await member.upload()] {
            #expect(answer.status == 200)
            #expect(answer.at("/timestamp") == .int(head))
        }
        #expect(try await member.head() == head)
    }

    @Test func aNewRowHasTheSchemasDefaultsAndAShortID() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "t1", "name": "A"], ["id": "t2", "name": "B"]])
        let tasks = try await member.drain(collections: "tasks")
        let task = try #require(tasks.row("tasks", "t1"))
        #expect(task["status"] == "NOT_STARTED")
        #expect(task["duration"] == 1)
        #expect(task["percent_complete"] == 0)
        #expect(task["notes"] == "")
        #expect(task["project"] == "p1")
        #expect(task["server_version"] == 1)
        let shortIDs = ["t1", "t2"].compactMap { tasks.row("tasks", $0)?["short_id"]?.string }
        #expect(Set(shortIDs).count == 2)
        #expect(shortIDs.allSatisfy { $0.count == 8 })
    }
}
