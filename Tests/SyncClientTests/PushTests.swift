import SyncProtocol
import Synchronization
import Testing

@testable import SyncClient

/// Edits on a device, over a network that fails, against a server in memory.
@Suite struct PushTests {
    private let scratch: Scratch
    private let replica: Replica
    private let server = FakeServer()
    private let clock = ManualClock()

    init() async throws {
        scratch = try Scratch()
        replica = try scratch.replica()
        server.change { state in
            for id in ["a", "b", "c"] { state.put("tasks", id, ["name": .string(id), "duration": 1, "done": false]) }
        }
        _ = try await syncer().pull()
    }

    private func syncer(_ transport: (any Transport)? = nil, options: SyncOptions = SyncOptions()) throws -> Syncer {
        try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport ?? server,
            replica: replica, options: options, environment: clock.environment())
    }

    private func value(_ id: String, _ field: String = "name") -> JSON? {
        server.state.withLock { $0.rows["tasks"]?[id]?.content?[field] }
    }

    private var uploads: [JSON] { server.state.withLock { $0.uploads } }

    private func expectEqual(_ place: SourceLocation = #_sourceLocation) throws {
        let rows = try replica.rows(of: "tasks").map { ($0["id"]?.string ?? "", $0["name"]) }
        let live = server.live("tasks").mapValues { $0["name"] }
        #expect(Dictionary(uniqueKeysWithValues: rows) == live, sourceLocation: place)
        #expect(try replica.unsentCount() == 0, sourceLocation: place)
    }

    /// Does `act` when the server has acted on the first upload, then loses its answer.
    private func losingTheFirstAnswer(_ act: @escaping @Sendable () throws -> Void = {}) -> HookedTransport {
        let isFirst = Mutex(true)
        return HookedTransport(server) { [server] _, answer in
            guard server.state.withLock({ !$0.uploads.isEmpty }), isFirst.withLock({ $0 }) else { return answer }
            isFirst.withLock { $0 = false }
            try act()
            throw TransportError.interrupted("answer lost")
        }
    }

    @Test func editsOfAllKindsArrive() async throws {
        try replica.insert(["name": "new", "parent": "a"], into: "tasks", id: "n")
        try replica.update("a", in: "tasks", ["name": "A"])
        try replica.delete("b", from: "tasks")
        let outcome = try await syncer().sync()
        #expect(outcome.pushed == PushOutcome(applied: 3, batches: 1, timestamp: SyncSeq(5)))
        #expect(value("n") == "new" && value("a") == "A" && value("b") == nil)
        try expectEqual()
        #expect(try await syncer().sync().pushed == PushOutcome())
        #expect(uploads.count == 1)
    }

    @Test func anEditTravelsWithItsColumnsAlone() async throws {
        try replica.update("a", in: "tasks", ["name": "A", "duration": 1])
        _ = try await syncer().push()
        #expect(uploads[0]["changes"]?["tasks"]?["updated"] == [["id": "a", "name": "A", "_changed": "name"]])
        #expect(uploads[0]["on_error"] == "reject_rows" && uploads[0]["last_pulled_at"] == 4)
    }

    @Test func aLostAnswerRepeatsTheSameRequestAndAppliesItOnce() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        let outcome = try await syncer(losingTheFirstAnswer()).sync()
        #expect(outcome.pushed?.applied == 1)
        #expect(uploads.count == 2 && uploads[0] == uploads[1])
        #expect(server.state.withLock { $0.rows["tasks"]?["n"]?.version } == 1)
        try expectEqual()
    }

    @Test func aProcessThatDiesBeforeTheAnswerLeavesTheBatchToTheNext() async throws {
        try replica.update("a", in: "tasks", ["name": "A"])
        let dying = HookedTransport(server) { [server] _, answer in
            if server.state.withLock({ !$0.uploads.isEmpty }) { throw Crash() }
            return answer
        }
        await #expect(throws: Crash.self) { try await syncer(dying).sync() }
        try replica.update("a", in: "tasks", ["name": "B"])
        _ = try await syncer().sync()
        #expect(uploads.count == 3 && uploads[0] == uploads[1] && uploads[1] != uploads[2])
        #expect(value("a") == "B")
        try expectEqual()
    }

    @Test func anEditDuringThePushGoesWithTheNextBatch() async throws {
        try replica.update("a", in: "tasks", ["name": "A", "duration": 2])
        let replica = replica
        _ = try await syncer(losingTheFirstAnswer { try replica.update("a", in: "tasks", ["name": "AA"]) }).sync()
        #expect(value("a") == "AA" && value("a", "duration") == 2)
        #expect(uploads.last?["changes"]?["tasks"]?["updated"] == [["id": "a", "name": "AA", "_changed": "name"]])
        try expectEqual()
    }

    /// The answer to the edit is lost, somebody else edits, a pull tells; then the repetition is answered as before.
    @Test func aRepetitionDoesNotBringAnOldEditBack() async throws {
        try replica.update("a", in: "tasks", ["name": "mine"])
        let server = server
        let losing = HookedTransport(server) { _, answer in
            guard server.state.withLock({ !$0.uploads.isEmpty }) else { return answer }
            throw Crash()
        }
        await #expect(throws: Crash.self) { try await syncer(losing).push() }
        server.change { $0.put("tasks", "a", ["name": "theirs", "duration": 1, "done": false]) }
        _ = try await syncer().sync()
        #expect(value("a") == "theirs")
        try expectEqual()
    }

    /// A page that was asked for before the push, and comes after it, tells less than the answer did.
    @Test func anOlderPageDoesNotTakeASentEditBack() async throws {
        server.change { $0.put("tasks", "a", ["name": "a2", "duration": 1, "done": false]) }
        try replica.update("b", in: "tasks", ["name": "B"])
        server.change { $0.put("tasks", "b", ["name": "b", "duration": 5, "done": false]) }
        let other = try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: server,
            replica: scratch.replica(), environment: clock.environment())
        let isFirst = Mutex(true)
        let slow = HookedTransport(server) { number, answer in
            if number == 1, isFirst.withLock({ $0 }) {
                isFirst.withLock { $0 = false }
                _ = try await other.push()
            }
            return answer
        }
        let outcome = try await syncer(slow).pull()
        #expect(outcome.timestamp < SyncSeq(7) && outcome.replaced.isEmpty)
        #expect(try replica.row("b")?["name"] == "B")
        _ = try await syncer().sync()
        try expectEqual()
        #expect(try replica.row("b")?["duration"] == 5)
    }

    @Test func aRefusedEditIsTakenBackAndSetAside() async throws {
        try replica.update("a", in: "tasks", ["name": "bad"])
        try replica.update("b", in: "tasks", ["name": "good"])
        let pushed = try await syncer().push()
        #expect(pushed.applied == 1 && pushed.setAside == 1)
        #expect(try replica.row("a")?["name"] == "a" && replica.row("a")?["_status"] == "synced")
        let aside = try replica.setAside()
        #expect(aside.map(\.id) == ["a"] && aside[0].row["name"] == "bad" && aside[0].reason == "too_long")
        _ = try await syncer().sync()
        try expectEqual()
    }

    @Test func aRefusedNewRowStaysIsHeldBackAndCanBeMended() async throws {
        try replica.insert(["name": "bad"], into: "tasks", id: "n")
        #expect(try await syncer().sync().pushed?.refused == 1)
        #expect(try replica.refused().map(\.code) == ["too_long"])
        #expect(try replica.row("n")?["_status"] == "created" && replica.unsentCount() == 1)
        #expect(try !replica.hasSomethingToSend())
        try replica.update("n", in: "tasks", ["name": "better"])
        _ = try await syncer().sync()
        #expect(value("n") == "better")
        #expect(try replica.refused().isEmpty)
        try expectEqual()
    }

    @Test func aRefusedNewRowCanBeGivenUp() async throws {
        try replica.insert(["name": "bad"], into: "tasks", id: "n")
        _ = try await syncer().sync()
        try replica.delete("n", from: "tasks")
        _ = try await syncer().sync()
        try expectEqual()
        #expect(try replica.row("n") == nil && replica.refused().isEmpty)
    }

    @Test func aRefusedDeletionBringsTheRowBack() async throws {
        server.change { $0.put("tasks", "k", ["name": "kept", "duration": 1, "done": false]) }
        _ = try await syncer().pull()
        try replica.delete("k", from: "tasks")
        _ = try await syncer().push()
        #expect(try replica.row("k")?["_status"] == "synced")
        _ = try await syncer().sync()
        try expectEqual()
    }

    @Test func deleteWinsOverAnEditWhichGoesAside() async throws {
        try replica.update("a", in: "tasks", ["name": "mine"])
        server.change { $0.delete("tasks", "a") }
        _ = try await syncer().sync()
        #expect(try replica.setAside().map(\.reason) == ["deleted"])
        try expectEqual()
    }

    @Test func aRowMadeAndDeletedOfflineIsNeverSent() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        try replica.delete("n", from: "tasks")
        _ = try await syncer().sync()
        #expect(uploads.isEmpty)
        try expectEqual()
    }

    @Test func aRowDeletedWhileItsCreationIsUnderWayIsDeletedThereToo() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        let replica = replica
        _ = try await syncer(losingTheFirstAnswer { try replica.delete("n", from: "tasks") }).sync()
        #expect(server.state.withLock { $0.rows["tasks"]?["n"]?.content } == nil)
        try expectEqual()
    }

    @Test func manyRowsGoInBatchesThatTheServerTakes() async throws {
        for number in 0..<23 {
            let parent: JSON = number < 22 ? .string("n\(number + 1)") : nil
            try replica.insert(["name": "N", "parent": parent], into: "tasks", id: "n\(number)")
        }
        server.change { $0.batchLimit = 5 }
        let outcome = try await syncer().sync()
        #expect(outcome.pushed?.applied == 23 && outcome.pushed?.batches == 5)
        let sent = uploads.dropFirst().flatMap { $0["changes"]?["tasks"]?["created"]?.array ?? [] }
        #expect(sent.map { $0["id"] } == (0..<23).reversed().map { .string("n\($0)") })
        try expectEqual()
    }

    @Test func aNewReplicaPullsBeforeItPushes() async throws {
        let fresh = try Scratch()
        let syncer = try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: server,
            replica: fresh.replica(), environment: clock.environment())
        #expect(try await syncer.push() == PushOutcome())
        #expect(try fresh.replica().ids().count == 3)
    }

    @Test func anExpiredWatermarkPullsAnewAndThenPushes() async throws {
        try replica.update("a", in: "tasks", ["name": "A"])
        try replica.update("b", in: "tasks", ["name": "B"])
        server.change { state in
            state.delete("tasks", "b")
            state.purge()
            state.head += 1
        }
        let pushed = try await syncer().push()
        #expect(pushed.applied == 1)
        #expect(value("a") == "A" && value("b") == nil)
        #expect(try replica.setAside().map(\.id) == ["b"])
        try expectEqual()
    }

    /// The server is restored from a backup that knows nothing of a batch that it answered.
    @Test func whatARestoredServerLostIsSentAgain() async throws {
        let before = server.state.withLock { $0 }
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        try replica.update("a", in: "tasks", ["name": "A"])
        try replica.delete("b", from: "tasks")
        _ = try await syncer().push()
        server.change { state in
            state = before
            state.head += 1000
            state.horizon = state.head
            state.generation += 1
        }
        _ = try await syncer().sync()
        #expect(value("n") == "new" && value("a") == "A" && value("b") == nil)
        try expectEqual()
    }

    @Test func lostMembershipSetsUnsentEditsAside() async throws {
        try replica.update("a", in: "tasks", ["name": "A"])
        server.change { $0.refusal = .problem(403, .membershipRevoked) }
        await #expect(throws: SyncError.wiped(.membershipRevoked, detail: "Because.", setAside: 1)) {
            try await syncer().push()
        }
        #expect(try replica.ids().isEmpty && replica.setAside().map(\.id) == ["a"])
    }

    @Test func aViewersEditsStayAndItsPullsGoOn() async throws {
        try replica.update("a", in: "tasks", ["name": "A"])
        let server = server
        let viewing = HookedTransport(server) { _, answer in
            server.state.withLock { $0.uploads.isEmpty } ? answer : .problem(403, .forbidden)
        }
        await #expect(throws: SyncError.self) { try await syncer(viewing).push() }
        #expect(try replica.row("a")?["_status"] == "updated")
        _ = try await syncer().pull()
        #expect(try replica.row("a")?["name"] == "A")
    }

    @Test func watchSendsWhatAnotherProcessEdits() async throws {
        let (replica, syncer) = (replica, try syncer())
        let rounds = Counter()
        let task = Task { () async throws -> Void in
            try await syncer.watch(every: .seconds(3600)) { _ in
                if rounds.next() == 0 {
                    try? replica.update("a", in: "tasks", ["name": "A"])
                } else {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(value("a") == "A" && clock.now < .seconds(10))
    }

    @Test func twoProcessesSendEverythingOnce() async throws {
        for number in 0..<20 { try replica.insert(["name": "N"], into: "tasks", id: "n\(number)") }
        var options = SyncOptions()
        options.batchRows = 3
        let syncers = [try syncer(options: options), try syncer(options: options)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for syncer in syncers { group.addTask { _ = try await syncer.sync() } }
            try await group.waitForAll()
        }
        #expect(server.live("tasks").values.allSatisfy { $0["server_version"] == 1 })
        _ = try await syncer().sync()
        try expectEqual()
    }
}
