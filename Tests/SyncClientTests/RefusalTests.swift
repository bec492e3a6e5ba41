import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// What happens to edits that the server does not take, or has lost.
@Suite struct RefusalTests {
    private let scene: PushScene
    private let replica: Replica
    private let server: FakeServer

    init() async throws {
        scene = try await PushScene()
        (replica, server) = (scene.replica, scene.server)
    }

    @Test func aRefusedEditIsTakenBackAndSetAside() async throws {
        try replica.update("a", in: "tasks", with: ["name": "bad"])
        try replica.update("b", in: "tasks", with: ["name": "good"])
        let pushed = try await scene.syncer().push()
        #expect(pushed.applied == 1 && pushed.setAside == 1)
        #expect(try replica.row("a")?["name"] == "a" && replica.row("a")?["_status"] == "synced")
        let aside = try replica.setAside()
        #expect(aside.map(\.id) == ["a"] && aside[0].row["name"] == "bad" && aside[0].reason == "too_long")
        _ = try await scene.syncer().sync()
        try scene.expectEqual()
    }

    @Test func aRefusedNewRowStaysIsHeldBackAndCanBeMended() async throws {
        try replica.insert(["name": "bad"], into: "tasks", id: "n")
        #expect(try await scene.syncer().sync().pushed?.refused == 1)
        #expect(try replica.refused().map(\.code) == ["too_long"])
        #expect(try replica.row("n")?["_status"] == "created" && replica.unsentCount() == 1)
        #expect(try !replica.hasSomethingToSend())
        try replica.update("n", in: "tasks", with: ["name": "better"])
        _ = try await scene.syncer().sync()
        #expect(scene.value("n") == "better")
        #expect(try replica.refused().isEmpty)
        try scene.expectEqual()
    }

    @Test func aRefusedNewRowCanBeGivenUp() async throws {
        try replica.insert(["name": "bad"], into: "tasks", id: "n")
        _ = try await scene.syncer().sync()
        try replica.delete("n", from: "tasks")
        _ = try await scene.syncer().sync()
        try scene.expectEqual()
        #expect(try replica.row("n") == nil && replica.refused().isEmpty)
    }

    @Test func aRefusedDeletionBringsTheRowBack() async throws {
        server.change { $0.put("tasks", "k", ["name": "kept", "duration": 1, "done": false]) }
        _ = try await scene.syncer().pull()
        try replica.delete("k", from: "tasks")
        _ = try await scene.syncer().push()
        #expect(try replica.row("k")?["_status"] == "synced")
        _ = try await scene.syncer().sync()
        try scene.expectEqual()
    }

    @Test func aRefusedDeletionCanBeTriedAgain() async throws {
        server.change { $0.put("tasks", "k", ["name": "kept", "duration": 1, "done": false]) }
        _ = try await scene.syncer().pull()
        try replica.delete("k", from: "tasks")
        _ = try await scene.syncer().push()
        server.change { $0.rows["tasks"]?["k"]?.content?["name"] = "free" }
        try replica.delete("k", from: "tasks")
        _ = try await scene.syncer().sync()
        #expect(scene.value("k") == nil)
        try scene.expectEqual()
    }

    @Test func whatTheServerSaidOfAnEditIsKeptWithIt() async throws {
        try replica.update("a", in: "tasks", with: ["name": "bad"])
        _ = try await scene.syncer().push()
        let aside = try #require(try replica.setAside().first)
        let reason = RefusedRow(collection: "tasks", id: "a", field: "name", code: "too_long", detail: "Bad.")
        #expect(aside.refusals == [reason])
        #expect(try replica.setAside(after: aside.number).isEmpty)
    }

    @Test func whatWasSetAsideBeforeHasItsReasonInWords() async throws {
        try replica.edit(
            "INSERT INTO _set_aside (collection, id, row, reason, time) VALUES ('tasks', 'a', '{}', 'deleted', '')")
        let refusals = try #require(try replica.setAside().first).refusals
        #expect(refusals.map(\.code) == ["deleted"] && refusals[0].detail == "The row was deleted on the server.")
    }

    @Test func aTakenKeyNamesTheRowThatHasIt() async throws {
        try replica.insert(["name": "taken"], into: "tasks", id: "n")
        #expect(try await scene.syncer().sync().pushed?.refused == 1)
        #expect(try replica.refused().map(\.existing) == ["a"])
        #expect(try scene.scratch.replica().refused().map(\.existing) == ["a"])
    }

    @Test func anEditThatTookAKeyIsSetAsideWithTheRowThatHasIt() async throws {
        try replica.update("b", in: "tasks", with: ["name": "taken"])
        _ = try await scene.syncer().push()
        #expect(try replica.setAside().first?.refusals.map(\.existing) == ["a"])
    }

    @Test func aReplicaOfAnOlderVersionLearnsTheRowThatHasAKey() async throws {
        try replica.edit("ALTER TABLE _refused DROP COLUMN existing")
        let later = try scene.scratch.replica()
        try later.insert(["name": "taken"], into: "tasks", id: "n")
        _ = try await scene.syncer().sync()
        #expect(try later.refused().map(\.existing) == ["a"])
    }

    @Test func aReplicaOfAnOlderVersionLearnsReasons() async throws {
        try replica.edit("ALTER TABLE _set_aside DROP COLUMN refusals")
        let later = try scene.scratch.replica()
        try later.update("a", in: "tasks", with: ["name": "bad"])
        _ = try await scene.syncer().push()
        #expect(try later.setAside().first?.refusals.first?.field == "name")
    }

    @Test func aRowThatIsGivenUpLeavesTheOtherRefusedOnes() async throws {
        for id in ["m", "n"] { try replica.insert(["name": "bad"], into: "tasks", id: id) }
        _ = try await scene.syncer().sync()
        let refused = try replica.refused()
        try replica.giveUp(refused[0])
        #expect(try replica.row("m") == nil && replica.row("n") != nil && replica.refused() == [refused[1]])
        try replica.giveUp(refused[0])
        #expect(try replica.refused() == [refused[1]])
    }

    @Test func aRowThatWasEditedSinceIsNotGivenUp() async throws {
        try replica.insert(["name": "bad"], into: "tasks", id: "n")
        _ = try await scene.syncer().sync()
        let refused = try #require(try replica.refused().first)
        try replica.update("n", in: "tasks", with: ["name": "better"])
        try replica.giveUp(refused)
        #expect(try replica.row("n")?["name"] == "better")
    }

    @Test func anEditThatNoRequestCarriesIsTakenBackWhenItIsGivenUp() async throws {
        try replica.update("a", in: "tasks", with: ["name": "other"])
        try replica.edit(
            "INSERT INTO _refused (collection, id, code, detail) VALUES ('tasks', 'a', 'body_too_large', '')")
        try replica.giveUp(#require(try replica.refused().first))
        #expect(try replica.row("a")?["name"] == "a" && replica.row("a")?["_status"] == "synced")
    }

    @Test func whatWasSetAsideCanBeDismissed() async throws {
        try replica.update("a", in: "tasks", with: ["name": "bad"])
        _ = try await scene.syncer().sync()
        try replica.dismiss(#require(try replica.setAside().first))
        #expect(try replica.setAside().isEmpty)
    }

    /// In a newer schema of the server, only the server may write the field.
    @Test func anEditOfAFieldThatNobodyMayWriteAnyMoreIsSetAside() async throws {
        try replica.update("a", in: "tasks", with: ["name": "mine"])
        server.change { state in
            state.schema = Fixture.schemaJSON(
                version: "v2", taskFields: ["name": ["type": "string", "readOnly": true]])
        }
        _ = try await scene.syncer().sync()
        #expect(try replica.setAside().map(\.reason) == ["read_only_field"])
        #expect(try replica.row("a")?["name"] == "a" && replica.unsentCount() == 0)
    }

    @Test func deleteWinsOverAnEditWhichGoesAside() async throws {
        try replica.update("a", in: "tasks", with: ["name": "mine"])
        server.change { $0.delete("tasks", "a") }
        _ = try await scene.syncer().sync()
        #expect(try replica.setAside().map(\.reason) == ["deleted"])
        try scene.expectEqual()
    }

    @Test func anExpiredWatermarkPullsAnewAndThenPushes() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        try replica.update("b", in: "tasks", with: ["name": "B"])
        server.change { state in
            state.delete("tasks", "b")
            state.purge()
            state.head += 1
        }
        let pushed = try await scene.syncer().push()
        #expect(pushed.applied == 1)
        #expect(scene.value("a") == "A" && scene.value("b") == nil)
        #expect(try replica.setAside().map(\.id) == ["b"])
        try scene.expectEqual()
    }

    /// The server is restored from a backup that does not have a batch that it had acknowledged.
    @Test func whatARestoredServerLostIsSentAgain() async throws {
        let before = server.state.withLock { $0 }
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        try replica.update("a", in: "tasks", with: ["name": "A"])
        try replica.delete("b", from: "tasks")
        _ = try await scene.syncer().push()
        server.change { state in
            state = before
            state.head += 1000
            state.horizon = state.head
            state.generation += 1
        }
        let pulled = try await scene.syncer().sync().pulled
        #expect(pulled?.replaced == [] && pulled?.differing == [])
        #expect(scene.value("n") == "new" && scene.value("a") == "A" && scene.value("b") == nil)
        try scene.expectEqual()
    }

    /// The edit is acknowledged. Before the next pull somebody else edits the row; then the watermark becomes invalid.
    @Test(arguments: [true, false]) func anAnsweredEditIsNotSentAgainOverALaterOne(isRestored: Bool) async throws {
        try replica.update("a", in: "tasks", with: ["name": "mine"])
        _ = try await scene.syncer().push()
        server.change { state in
            state.put("tasks", "a", ["name": "theirs", "duration": 1, "done": false])
            if isRestored { state.head += 1000 }
            state.horizon = state.head
            state.generation += 1
        }
        let outcome = try await scene.syncer().sync()
        #expect(outcome.pulled?.resynced == true && outcome.pushed == PushOutcome())
        #expect(scene.value("a") == "theirs")
        try scene.expectEqual()
    }

    /// The replica starts again from 0 for another reason while the server is restored from a backup.
    @Test func whatARestoredServerLostIsSentAgainAfterASchemaChangeToo() async throws {
        let before = server.state.withLock { $0 }
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        _ = try await scene.syncer().push()
        server.change { state in
            state = before
            state.schema = Fixture.schemaJSON(version: "v2", taskFields: ["points": ["type": "integer"]])
            state.head += 1000
        }
        _ = try await scene.syncer().sync()
        #expect(scene.value("n") == "new")
        try scene.expectEqual()
    }

    @Test func lostMembershipSetsUnsentEditsAside() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        server.change { $0.refusal = .problem(403, .membershipRevoked) }
        await #expect(throws: SyncError.wiped(.membershipRevoked, detail: "Because.", setAside: 1)) {
            try await scene.syncer().push()
        }
        #expect(try replica.ids().isEmpty && replica.setAside().map(\.id) == ["a"])
    }

    /// The server has taken the deletion, and only its tombstone is missing.
    @Test func lostMembershipSetsNoAnsweredDeletionAside() async throws {
        try replica.delete("a", from: "tasks")
        _ = try await scene.syncer().push()
        server.change { $0.refusal = .problem(403, .membershipRevoked) }
        await #expect(throws: SyncError.wiped(.membershipRevoked, detail: "Because.", setAside: 0)) {
            try await scene.syncer().pull()
        }
        #expect(try replica.setAside().isEmpty)
    }

    @Test func aWatchGoesOnPullingWhereNothingCanBeSent() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        let server = server
        let viewing = HookedTransport(server) { _, answer in
            answer.body.starts(with: Array("{\"applied\"".utf8)) ? .problem(403, .forbidden) : answer
        }
        let syncer = try scene.syncer(viewing)
        let rounds = Counter()
        let task = Task { () async throws -> Void in
            try await syncer.watch(every: .seconds(60)) { _ in
            } onRound: { outcome in
                if rounds.next() == 0 {
                    #expect(outcome.refusal != nil)
                    server.change { $0.put("tasks", "z", ["name": "Z"]) }
                } else {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try replica.row("z") != nil && replica.row("a")?["_status"] == "updated")
    }

    @Test func aViewersEditsStayAndItsPullsGoOn() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        let server = server
        let viewing = HookedTransport(server) { _, answer in
            server.state.withLock { $0.uploads.isEmpty } ? answer : .problem(403, .forbidden)
        }
        await #expect(throws: SyncError.self) { try await scene.syncer(viewing).push() }
        #expect(try replica.row("a")?["_status"] == "updated")
        _ = try await scene.syncer().pull()
        #expect(try replica.row("a")?["name"] == "A")
    }
}
