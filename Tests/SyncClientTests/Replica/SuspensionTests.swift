import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Replicas in a shared container, and an app that is suspended. The notifications go to the whole process, so one test
/// runs after the other.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SuspensionTests {
    private let scratch: Scratch
    private let clock = SteppedClock()
    private let suspended: ReplicaError

    init() throws {
        scratch = try Scratch()
        suspended = .suspended(path: scratch.path)
    }

    private func replica(_ path: String? = nil) throws -> Replica {
        let replica = try Replica(path: path ?? scratch.path, scope: .project("p"), inSharedContainer: true)
        _ = try replica.adopt(Fixture.schema)
        return replica
    }

    private func syncer(_ replica: Replica, _ transport: any Transport) throws -> Syncer {
        var options = SyncOptions(pageSize: 1)
        options.readsAhead = false
        return try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport, replica: replica,
            options: options, environment: clock.environment())
    }

    /// A replica that has pulled, and a server that has changed since. `n` is unsent.
    private func scene(_ path: String) async throws -> (FakeServer, Replica) {
        let (server, replica) = (FakeServer(), try replica(path))
        server.change { for id in ["a", "b", "c"] { $0.put("tasks", id, ["name": "N"]) } }
        _ = try await syncer(replica, server).sync()
        server.change { for id in ["d", "e", "f"] { $0.put("tasks", id, ["name": "N"]) } }
        try replica.insert(["name": "N"], into: "tasks", id: "n")
        return (server, replica)
    }

    @Test func aSyncThatIsSuspendedAtAnyRequestEndsAndGoesOn() async throws {
        defer { Replica.resumeShared() }
        var step = 0
        while try await ends(suspendedAt: step) { step += 1 }
        // Three pages, an upload, a page of what it did, and the schema before each pull.
        #expect(step >= 7)
    }

    /// Whether a sync ends early that is suspended at this request. It does not if it has fewer.
    private func ends(suspendedAt step: Int) async throws -> Bool {
        let path = scratch.folder + "/\(step).replica"
        let (server, replica) = try await scene(path)
        let hooked = HookedTransport(server) { number, answer in
            if number == step { Replica.suspendShared() }
            return answer
        }
        do {
            _ = try await syncer(replica, hooked).sync()
            return false
        } catch ReplicaError.suspended { try checkSuspended(replica, "step \(step)") }
        Replica.resumeShared()
        _ = try await syncer(replica, server).sync()
        let all = ["a", "b", "c", "d", "e", "f", "m", "n"]
        #expect(try replica.ids(of: "tasks").sorted() == all && server.live("tasks").keys.sorted() == all)
        #expect(try replica.unsentCount() == 0 && replica.setAside().isEmpty)
        return true
    }

    /// What can be read is a state that was, others may write, and nothing is written here.
    private func checkSuspended(_ replica: Replica, _ label: Comment) throws {
        let pulled = try Set(replica.ids(of: "tasks")).subtracting(["n"])
        #expect(try replica.state().settled != nil, label)
        #expect(pulled == ["a", "b", "c"] || pulled == ["a", "b", "c", "d", "e", "f"], label)
        try Replica(existing: replica.path).insert(["name": "M"], into: "tasks", id: "m")
        #expect(throws: ReplicaError.suspended(path: replica.path)) {
            try replica.insert(["name": "O"], into: "tasks", id: "o")
        }
        #expect(try replica.row("m") != nil && replica.row("o") == nil, label)
    }

    @Test func aTransactionUnderWayIsRolledBack() throws {
        let replica = try replica()
        let before = try replica.state()
        defer { Replica.resumeShared() }
        #expect(throws: suspended) {
            try replica.write { db in
                try db.execute(sql: "UPDATE _replica SET step = step + 1")
                Replica.suspendShared()
                try db.execute(sql: "UPDATE _replica SET step = step + 1")
            }
        }
        #expect(try replica.state() == before)
        try FileLock(guarding: scratch.path).withLock {}
        #expect("\(suspended)".contains("Resume"))
    }

    @Test func aWatchEndsAndAnotherOneGoesOn() async throws {
        let (server, replica) = (FakeServer(), try replica())
        let transport = ScriptedTransport(server)
        defer { Replica.resumeShared() }
        var reader = try syncer(replica, transport).rounds().makeAsyncIterator()
        _ = try await reader.next()
        Replica.suspendShared()
        server.change { $0.put("tasks", "a", ["name": "N"]) }
        let stream = try await transport.stream()
        stream.hello()
        await #expect(throws: suspended) { while try await reader.next() != nil {} }
        Replica.resumeShared()
        var next = try syncer(replica, transport).rounds().makeAsyncIterator()
        #expect(try await next.next()?.outcome.pulled?.rows == 1)
        #expect(try replica.row("a") != nil)
    }

    @Test func otherReplicasDoNotCare() throws {
        let replica = try scratch.replicaWithTables()
        Replica.suspendShared()
        defer { Replica.resumeShared() }
        try replica.insert(["name": "N"], into: "tasks", id: "n")
        #expect(try replica.unsentCount() == 1)
    }
}
