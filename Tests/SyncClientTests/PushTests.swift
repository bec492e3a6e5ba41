@testable import SyncClientCore
import SyncProtocol
import Synchronization
import Testing

/// Edits on a device, over a network that fails, against a server in memory.
@Suite struct PushTests {
    private let scene: PushScene
    private let replica: Replica
    private let server: FakeServer

    init() async throws {
        scene = try await PushScene()
        (replica, server) = (scene.replica, scene.server)
    }

    @Test func editsOfAllKindsArrive() async throws {
        try replica.insert(["name": "new", "parent": "a"], into: "tasks", id: "n")
        try replica.update("a", in: "tasks", with: ["name": "A"])
        try replica.delete("b", from: "tasks")
        let outcome = try await scene.syncer().sync()
        #expect(outcome.pushed == PushOutcome(applied: 3, batches: 1, timestamp: SyncSeq(5)))
        #expect(scene.value("n") == "new" && scene.value("a") == "A" && scene.value("b") == nil)
        try scene.expectEqual()
        #expect(try await scene.syncer().sync().pushed == PushOutcome())
        #expect(scene.uploads.count == 1)
    }

    @Test func anEditTravelsWithItsColumnsAlone() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A", "duration": 1])
        _ = try await scene.syncer().push()
        let element: JSON = ["id": "a", "name": "A", "_changed": "name", "base_version": 1]
        #expect(scene.uploads[0]["changes"]?["tasks"]?["updated"] == [element])
        #expect(scene.uploads[0]["on_error"] == "reject_rows" && scene.uploads[0]["last_pulled_at"] == 4)
    }

    @Test func aLostAnswerRepeatsTheSameRequestAndAppliesItOnce() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        let outcome = try await scene.syncer(scene.losingTheFirstAnswer()).sync()
        #expect(outcome.pushed?.applied == 1)
        #expect(scene.uploads.count == 2 && scene.uploads[0] == scene.uploads[1])
        #expect(server.state.withLock { $0.rows["tasks"]?["n"]?.version } == 1)
        try scene.expectEqual()
    }

    @Test func aProcessThatDiesBeforeTheAnswerLeavesTheBatchToTheNext() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        let dying = HookedTransport(server) { [server] _, answer in
            if server.state.withLock({ !$0.uploads.isEmpty }) { throw Crash() }
            return answer
        }
        await #expect(throws: Crash.self) { try await scene.syncer(dying).sync() }
        try replica.update("a", in: "tasks", with: ["name": "B"])
        _ = try await scene.syncer().sync()
        #expect(
            scene.uploads.count == 3 && scene.uploads[0] == scene.uploads[1] && scene.uploads[1] != scene.uploads[2])
        #expect(scene.value("a") == "B")
        try scene.expectEqual()
    }

    @Test func anEditDuringThePushGoesWithTheNextBatch() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A", "duration": 2])
        let replica = replica
        _ = try await scene.syncer(
            scene.losingTheFirstAnswer { try replica.update("a", in: "tasks", with: ["name": "AA"]) }
        )
        .sync()
        #expect(scene.value("a") == "AA" && scene.value("a", "duration") == 2)
        #expect(
            scene.uploads.last?["changes"]?["tasks"]?["updated"] == [
                ["id": "a", "name": "AA", "_changed": "name", "base_version": 1]
            ])
        try scene.expectEqual()
    }

    /// The answer to the edit is lost, somebody else edits the row, and a
    /// pull delivers that. Then the repeated batch gets the first answer.
    @Test func aRepetitionDoesNotBringAnOldEditBack() async throws {
        try replica.update("a", in: "tasks", with: ["name": "mine"])
        let server = server
        let losing = HookedTransport(server) { _, answer in
            guard server.state.withLock({ !$0.uploads.isEmpty }) else { return answer }
            throw Crash()
        }
        await #expect(throws: Crash.self) { try await scene.syncer(losing).push() }
        server.change { $0.put("tasks", "a", ["name": "theirs", "duration": 1, "done": false]) }
        _ = try await scene.syncer().sync()
        #expect(scene.value("a") == "theirs")
        try scene.expectEqual()
    }

    /// A page that was requested before the push and arrives after it is older than the push's answer.
    @Test func anOlderPageDoesNotTakeASentEditBack() async throws {
        server.change { $0.put("tasks", "a", ["name": "a2", "duration": 1, "done": false]) }
        try replica.update("b", in: "tasks", with: ["name": "B"])
        server.change { $0.put("tasks", "b", ["name": "b", "duration": 5, "done": false]) }
        let other = try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: server,
            replica: scene.scratch.replica(), environment: scene.clock.environment())
        let isFirst = Mutex(true)
        let slow = HookedTransport(server) { number, answer in
            if number == 1, isFirst.withLock({ $0 }) {
                isFirst.withLock { $0 = false }
                _ = try await other.push()
            }
            return answer
        }
        let outcome = try await scene.syncer(slow).pull()
        #expect(outcome.timestamp < SyncSeq(7) && outcome.replaced.isEmpty)
        #expect(try replica.row("b")?["name"] == "B")
        _ = try await scene.syncer().sync()
        try scene.expectEqual()
        #expect(try replica.row("b")?["duration"] == 5)
    }

    @Test func aRowMadeAndDeletedOfflineIsNeverSent() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        try replica.delete("n", from: "tasks")
        _ = try await scene.syncer().sync()
        #expect(scene.uploads.isEmpty)
        try scene.expectEqual()
    }

    @Test func aRowDeletedWhileItsCreationIsUnderWayIsDeletedThereToo() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        let replica = replica
        _ = try await scene.syncer(scene.losingTheFirstAnswer { try replica.delete("n", from: "tasks") }).sync()
        #expect(server.state.withLock { $0.rows["tasks"]?["n"]?.content } == nil)
        try scene.expectEqual()
    }

    @Test func manyRowsGoInBatchesThatTheServerTakes() async throws {
        for number in 0..<23 {
            let parent: JSON = number < 22 ? .string("n\(number + 1)") : nil
            try replica.insert(["name": "N", "parent": parent], into: "tasks", id: "n\(number)")
        }
        server.change { $0.batchLimit = 5 }
        let outcome = try await scene.syncer().sync()
        #expect(outcome.pushed?.applied == 23 && outcome.pushed?.batches == 5)
        let sent = scene.uploads.dropFirst().flatMap { $0["changes"]?["tasks"]?["created"]?.array ?? [] }
        #expect(sent.map { $0["id"] } == (0..<23).reversed().map { .string("n\($0)") })
        try scene.expectEqual()
    }

    @Test func aNewReplicaPullsBeforeItPushes() async throws {
        let fresh = try Scratch()
        let syncer = try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: server,
            replica: fresh.replica(), environment: scene.clock.environment())
        #expect(try await syncer.push() == PushOutcome())
        #expect(try fresh.replica().ids().count == 3)
    }

    @Test func watchSendsWhatAnotherProcessEdits() async throws {
        let (replica, syncer) = (replica, try scene.syncer())
        let rounds = Counter()
        let task = Task { () async throws -> Void in
            try await syncer.watch(every: .seconds(3600)) { _ in
            } onRound: { _ in
                if rounds.next() == 0 {
                    try? replica.update("a", in: "tasks", with: ["name": "A"])
                } else {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(scene.value("a") == "A" && scene.clock.now < .seconds(10))
    }

    /// Batch numbers are reused, so an answer that comes late must settle only its own batch.
    @Test func aLateAnswerSettlesNoOtherBatch() throws {
        func next() throws -> UploadBatch {
            let environment = scene.clock.environment()
            let next = try replica.nextBatch(
                BatchLimits(rows: 9, bytes: 9999), at: .test, newID: environment.newBatchID)
            guard case .batch(let batch) = next else { throw SyncError.violation("there is no batch") }
            return batch
        }
        try replica.update("a", in: "tasks", with: ["name": "A"])
        let first = try next()
        let answer = try UploadAnswer(
            [
                "client_batch_id": .string(first.id), "timestamp": 4,
                "applied": ["tasks": ["updated": [["id": "a", "server_version": 2]]]],
            ], to: first.id)
        #expect(try replica.settle(first, answer, at: .test) != nil)
        try replica.delete("b", from: "tasks")
        let second = try next()
        #expect(second.number == first.number)
        #expect(try replica.settle(first, answer, at: .test) == nil)
        try replica.drop(first)
        #expect(try next() == second)
        #expect(try replica.row("b")?["_status"] == "deleted")
    }

    @Test func twoProcessesSendEverythingOnce() async throws {
        for number in 0..<20 { try replica.insert(["name": "N"], into: "tasks", id: "n\(number)") }
        var options = SyncOptions()
        options.batchRows = 3
        let syncers = [try scene.syncer(options: options), try scene.syncer(options: options)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for syncer in syncers { group.addTask { _ = try await syncer.sync() } }
            try await group.waitForAll()
        }
        #expect(server.live("tasks").values.allSatisfy { $0["server_version"] == 1 })
        _ = try await scene.syncer().sync()
        try scene.expectEqual()
    }
}
