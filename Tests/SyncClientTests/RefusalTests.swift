import SyncProtocol
import Synchronization
import Testing

@testable import SyncClient

/// What becomes of edits that the server does not take, or has lost.
@Suite struct RefusalTests {
    private let scene: PushScene
    private let replica: Replica
    private let server: FakeServer

    init() async throws {
        scene = try await PushScene()
        (replica, server) = (scene.replica, scene.server)
    }

    @Test func aRefusedEditIsTakenBackAndSetAside() async throws {
        try replica.update("a", in: "tasks", ["name": "bad"])
        try replica.update("b", in: "tasks", ["name": "good"])
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
        try replica.update("n", in: "tasks", ["name": "better"])
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

    @Test func deleteWinsOverAnEditWhichGoesAside() async throws {
        try replica.update("a", in: "tasks", ["name": "mine"])
        server.change { $0.delete("tasks", "a") }
        _ = try await scene.syncer().sync()
        #expect(try replica.setAside().map(\.reason) == ["deleted"])
        try scene.expectEqual()
    }

    @Test func anExpiredWatermarkPullsAnewAndThenPushes() async throws {
        try replica.update("a", in: "tasks", ["name": "A"])
        try replica.update("b", in: "tasks", ["name": "B"])
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

    /// The server is restored from a backup that knows nothing of a batch that it answered.
    @Test func whatARestoredServerLostIsSentAgain() async throws {
        let before = server.state.withLock { $0 }
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        try replica.update("a", in: "tasks", ["name": "A"])
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

    @Test func lostMembershipSetsUnsentEditsAside() async throws {
        try replica.update("a", in: "tasks", ["name": "A"])
        server.change { $0.refusal = .problem(403, .membershipRevoked) }
        await #expect(throws: SyncError.wiped(.membershipRevoked, detail: "Because.", setAside: 1)) {
            try await scene.syncer().push()
        }
        #expect(try replica.ids().isEmpty && replica.setAside().map(\.id) == ["a"])
    }

    @Test func aViewersEditsStayAndItsPullsGoOn() async throws {
        try replica.update("a", in: "tasks", ["name": "A"])
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
