import GRDB
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// Another database with another history replaces the server's, so the same numbers mean other commits. Edits that the
/// first database acknowledged and the second does not have are sent again.
@Suite struct OtherHistoryTests {
    private let scene: PushScene
    private let replica: Replica
    private let server: FakeServer

    init() async throws {
        scene = try await PushScene()
        (replica, server) = (scene.replica, scene.server)
    }

    /// Makes one edit of each kind.
    private func edit() throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        try replica.update("a", in: "tasks", with: ["name": "A"])
        try replica.delete("b", from: "tasks")
    }

    private func expectAllOfIt(_ place: SourceLocation = #_sourceLocation) throws {
        #expect(scene.value("n") == "new" && scene.value("a") == "A" && scene.value("b") == nil, sourceLocation: place)
        #expect(try replica.setAside().isEmpty, sourceLocation: place)
        try scene.expectEqual(place)
    }

    private var otherProcess: Syncer {
        get throws {
            try Syncer(
                remote: Remote(url: "http://server", project: "p", token: "t"), transport: server,
                replica: scene.scratch.replica(), environment: scene.clock.environment())
        }
    }

    @Test func whatAnImportOfAnOlderExportLacksIsSentAgain() async throws {
        let export = server.state.withLock { $0.imported }
        try edit()
        _ = try await scene.syncer().push()
        server.change { $0 = export }
        for _ in 0..<3 { _ = try await scene.syncer().sync() }
        try expectAllOfIt()
        #expect(scene.uploads.count == 1)
    }

    /// The same backup is restored twice. Each time the numbers jump; the second jump may be smaller.
    @Test(arguments: [1000, 9000] as [Int64]) func whatASecondRestoreLacksIsSentAgain(jump: Int64) async throws {
        let backup = server.state.withLock { $0 }
        server.change { $0 = backup.restored(by: 5000) }
        _ = try await scene.syncer().sync()
        try edit()
        _ = try await scene.syncer().push()
        server.change { $0 = backup.restored(by: jump) }
        for _ in 0..<3 { _ = try await scene.syncer().sync() }
        try expectAllOfIt()
    }

    /// The new head is at the watermark or above it, so the server can't refuse it.
    /// But a drain that ends below an answer shows that the history is another one.
    @Test func aDrainThatEndsBelowAnAnswerIsOfAnotherHistory() async throws {
        var export = server.state.withLock { $0.imported }
        export.head = 4
        try edit()
        _ = try await scene.syncer().push()
        let imported = export
        server.change { $0 = imported }
        let outcome = try await scene.syncer().sync()
        #expect(outcome.pulled?.resynced == true && outcome.pulled?.replaced == [])
        try expectAllOfIt()
    }

    /// The new head is above the answer too, so only the digest shows the difference.
    @Test func whereTheNumbersFitTheDigestGivesTheOtherHistoryAway() async throws {
        var export = server.state.withLock { $0.imported }
        export.head = 4
        export.put("tasks", "x", ["name": "theirs"])
        export.put("tasks", "y", ["name": "theirs"])
        try edit()
        _ = try await scene.syncer().push()
        let imported = export
        server.change { $0 = imported }
        let outcome = try await scene.syncer().sync()
        #expect(outcome.pulled?.resynced == true && outcome.pulled?.replaced == ["tasks"])
        try expectAllOfIt()
    }

    /// If somebody writes meanwhile, a drain ends without a digest. The answer is kept until a digest has confirmed it.
    @Test func anAnswerIsKeptUntilADigestConfirmsIt() async throws {
        try edit()
        _ = try await scene.syncer().push()
        try replica.take(Fixture.page(timestamp: 5))
        let digests: JSON = ["tasks": CollectionDigest(count: 0, bits: 1).json]
        let receipt = try replica.take(Fixture.page(timestamp: 6, digest: digests))
        #expect(receipt?.state.since == .zero)
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "b", "server_version": 1]]), timestamp: 7))
        #expect(try replica.row("n")?["_status"] == "created" && replica.row("b")?["_status"] == "deleted")
        #expect(try replica.setAside().map(\.id) == ["a"])
    }

    @Test(arguments: [true, false]) func aDigestConfirmsAnAnswer(isTold: Bool) async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        _ = try await scene.syncer().push()
        let digests = server.state.withLock { $0.digests }
        let row: JSON = ["id": "a", "server_version": 2, "name": "A"]
        try replica.take(Fixture.page(Fixture.tasks(updated: [row]), timestamp: 5, digest: isTold ? digests : nil))
        let kept = try replica.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM _batch") }
        #expect(kept == (isTold ? 0 : 1))
    }

    /// The first server has answered. Before the answer arrives, another
    /// process replaces the replica with what the second server has.
    @Test(arguments: [0, 9] as [Int64]) func anAnswerThatArrivesAfterTheReplacementIsNotBelieved(
        writes: Int64
    ) async throws {
        let export = server.state.withLock { $0.imported.after(writes) }
        try edit()
        let isFirst = Mutex(true)
        let (server, other) = (server, try otherProcess)
        let slow = HookedTransport(server) { _, answer in
            guard server.state.withLock({ !$0.uploads.isEmpty }), isFirst.withLock({ $0 }) else { return answer }
            isFirst.withLock { $0 = false }
            server.change { $0 = export.voiding }
            _ = try await other.pull()
            return answer
        }
        _ = try await scene.syncer(slow).push()
        for _ in 0..<2 { _ = try await scene.syncer().sync() }
        try expectAllOfIt()
    }

    /// If a batch is answered during a replacement, at a commit above it, it does not count as lost.
    @Test func anAnswerDuringAReplacementIsNotTakenForALoss() async throws {
        try edit()
        _ = try? await scene.syncer(scene.dyingAtTheFirstAnswer()).push()
        server.change { $0 = $0.imported }
        let (server, other) = (server, try otherProcess)
        let isFirst = Mutex(true)
        var options = SyncOptions(pageSize: 1)
        options.readsAhead = false
        let pulling = HookedTransport(server) { _, answer in
            guard answer.body.starts(with: Array("{\"changes\"".utf8)), isFirst.withLock({ $0 }) else { return answer }
            isFirst.withLock { $0 = false }
            _ = try await other.push()
            return answer
        }
        _ = try await scene.syncer(pulling, options: options).pull()
        _ = try await scene.syncer().sync()
        #expect(scene.uploads.count <= 2)
        try expectAllOfIt()
    }

    /// In the new history, somebody else edited the row later. Values that are there as they were sent were not lost.
    @Test func whatTheNewHistoryHasIsNotSentAgain() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        _ = try await scene.syncer().push()
        server.change { $0 = $0.imported }
        let outcome = try await scene.syncer().sync()
        #expect(outcome.pushed == PushOutcome())
        try scene.expectEqual()
    }

    /// Format 2 compared only numbers. This replica has adopted the new
    /// history's watermark, but an answer of the old history looks newer to it.
    @Test func aReplicaOfTheSecondFormatSendsAgainWhatWasLost() async throws {
        let export = server.state.withLock { $0.imported }
        try edit()
        _ = try await scene.syncer().push()
        server.change { $0 = export }
        try replica.edit(
            """
            UPDATE _replica SET since = 1; ALTER TABLE _replica DROP COLUMN answers;
            ALTER TABLE _replica DROP COLUMN answers_before; ALTER TABLE _replica DROP COLUMN epoch;
            ALTER TABLE _batch DROP COLUMN answer; PRAGMA user_version = 2
            """)
        // Opening the replica brings it up to date.
        _ = try scene.scratch.replica()
        for _ in 0..<2 { _ = try await scene.syncer().sync() }
        try expectAllOfIt()
    }
}

extension FakeServer.State {
    /// The state after importing an export: only live rows, at their first version, in one commit.
    fileprivate var imported: Self {
        var state = self
        (state.head, state.horizon, state.answers, state.uploads) = (1, 0, [:], [])
        state.generation += 1
        state.rows = rows.mapValues { rows in
            rows.filter { $0.value.content != nil }
                .mapValues { FakeServer.Stored(seq: 1, version: 1, content: $0.content) }
        }
        return state
    }

    /// The state after restoring a backup of it.
    fileprivate func restored(by jump: Int64) -> Self {
        var state = self
        state.head += jump
        (state.horizon, state.generation) = (state.head, Int(jump))
        return state
    }

    /// The state after this many writes by others.
    fileprivate func after(_ writes: Int64) -> Self {
        var state = self
        for number in 0..<writes { state.put("sprints", "s\(number)", ["name": "theirs"]) }
        return state
    }

    /// A server that refuses watermarks of another history, whatever its numbers are.
    fileprivate var voiding: Self {
        var state = self
        state.horizon = state.head
        return state
    }
}

extension PushScene {
    /// The client's process dies after the server has handled the first upload.
    fileprivate func dyingAtTheFirstAnswer() -> HookedTransport {
        HookedTransport(server) { [server] _, answer in
            guard server.state.withLock({ $0.uploads.isEmpty }) else { throw Crash() }
            return answer
        }
    }
}
