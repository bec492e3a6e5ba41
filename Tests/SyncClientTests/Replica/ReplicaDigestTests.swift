import SyncProtocol
import Testing

@testable import SyncClientCore

/// A replica that differs from the server finds out by the digest, and corrects itself.
@Suite struct ReplicaDigestTests {
    private let scratch: Scratch
    private let replica: Replica
    private let server = FakeServer()
    private let clock = ManualClock()

    init() throws {
        scratch = try Scratch()
        replica = try scratch.replica()
        server.change { state in
            for id in ["a", "b", "c", "d", "e"] { state.put("tasks", id, Self.task(id)) }
            state.put("sprints", "s", ["name": "S", "goal": ""])
        }
    }

    private static func task(_ name: String) -> [String: JSON] {
        [
            "name": .string(name), "sprint": nil, "parent": nil, "duration": 1, "percent": 0, "done": false,
            "labels": [],
        ]
    }

    @discardableResult
    private func pull(_ transport: (any Transport)? = nil) async throws -> PullOutcome {
        let puller = try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport ?? server,
            replica: replica, options: SyncOptions(pageSize: 2), environment: clock.environment())
        return try await puller.pull()
    }

    private func expectEqual(_ place: SourceLocation = #_sourceLocation) throws {
        for name in ["tasks", "sprints"] {
            let rows = try replica.rows(of: name).map { ($0["id"]?.string ?? "", $0) }
            #expect(Dictionary(uniqueKeysWithValues: rows) == server.live(name), sourceLocation: place)
        }
    }

    @Test func anEqualReplicaIsLeftAlone() async throws {
        #expect(try await pull().replaced == [])
        let outcome = try await pull()
        #expect(outcome.replaced == [] && outcome.differing == [] && outcome.pages == 1)
        try expectEqual()
    }

    @Test(
        arguments: [
            "DELETE FROM tasks WHERE id = 'c'", "DELETE FROM tasks", "INSERT INTO tasks (id) VALUES ('x')",
            "UPDATE tasks SET server_version = 9, name = 'wrong' WHERE id = 'b'",
        ]) func aCollectionThatDiffersIsReadAnew(damage: String) async throws
    {
        try await pull()
        try replica.edit(damage)
        let before = try replica.state().since
        let outcome = try await pull()
        #expect(outcome.replaced == ["tasks"] && outcome.differing == [])
        #expect(outcome.timestamp == before && !outcome.resynced)
        #expect(outcome.dropped == (damage.hasPrefix("INSERT") ? 1 : 0))
        try expectEqual()
        #expect(try await pull().replaced == [])
    }

    @Test func unsentChangesAreNoDifference() async throws {
        try await pull()
        try replica.edit("INSERT INTO tasks (id, _status) VALUES ('new', 'created')")
        // Its creation was sent but not acknowledged.
        try replica.edit("INSERT INTO tasks (id, _status) VALUES ('gone', 'deleted')")
        try replica.update("a", in: "tasks", with: ["name": "mine"])
        try replica.delete("b", from: "tasks")
        try replica.edit("DELETE FROM sprints")
        #expect(try await pull().replaced == ["sprints"])
        #expect(try replica.ids() == ["a", "b", "c", "d", "e", "gone", "new"])
        #expect(try replica.row("a")?["name"] == "mine" && replica.row("b")?["_status"] == "deleted")
        #expect(try replica.ids(of: "sprints") == ["s"])
    }

    @Test func aServerThatMiscountsIsAskedOnceAPull() async throws {
        server.change { $0.miscounted = "tasks" }
        let outcome = try await pull()
        #expect(outcome.replaced == ["tasks"] && outcome.differing == ["tasks"])
        try expectEqual()
    }

    @Test(arguments: 1...4) func aCrashWhileReadingAnewIsHealedByTheNextPull(request: Int) async throws {
        try await pull()
        try replica.edit("DELETE FROM tasks WHERE id < 'e'; INSERT INTO tasks (id) VALUES ('x')")
        let dying = HookedTransport(server) { number, answer in
            if number == request { throw Crash() }
            return answer
        }
        await #expect(throws: Crash.self) { try await pull(dying) }
        #expect(try await pull().replaced == ["tasks"])
        try expectEqual()
    }

    @Test(arguments: [7, [], ["tasks": 7], ["tasks": ["count": 1, "digest": "x"]]] as [JSON])
    func aDigestThatIsNoneIsAViolation(digest: JSON) {
        #expect(throws: SyncError.self) { try Fixture.read(Fixture.page(digest: digest)) }
    }

    @Test func aPageMayHaveNoDigest() throws {
        #expect(try Fixture.read(Fixture.page()).digests == nil)
        #expect(try Fixture.read(Fixture.page(digest: .null)).digests == nil)
    }
}
