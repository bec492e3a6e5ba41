import Foundation
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// A replica of all projects belongs to one user.
@Suite struct OwnerCheckTests {
    /// Says that the token is `user`'s, after answers that can be retried. Nothing else may be asked.
    private struct Identity: Transport {
        let user: Int64
        let asked = Counter()

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard request.url.hasSuffix("/auth/me/") else {
                throw TransportError.unreachable("something else is asked")
            }
            switch asked.next() {
            case 0: throw TransportError.timeout
            case 1: return TransportResponse(status: 503, headers: ["retry-after": "1"], body: Data())
            default: return TransportResponse(status: 200, headers: [:], body: Data("{\"id\": \(user)}".utf8))
            }
        }
    }

    private func check(_ replica: Replica, as user: Int64) async throws {
        let remote = try Remote(url: "http://server", scope: .allProjects, token: "t")
        let session = Session(
            remote: remote, transport: Identity(user: user), replica: replica, environment: ManualClock().environment())
        try await OwnerCheck().run(session, options: SyncOptions()) { _ in }
    }

    @Test func theFirstUserOwnsIt() async throws {
        let scratch = try Scratch()
        let replica = try Replica(path: scratch.path, scope: .allProjects)
        try await check(replica, as: 1)
        try await check(replica, as: 1)
        await #expect(throws: ReplicaError.otherUser(path: scratch.path)) { try await check(replica, as: 2) }
    }

    /// A replica in which two rows were made before anybody had logged in.
    private func begun(_ scratch: Scratch) throws -> Replica {
        let replica = try opened(scratch)
        try replica.insert(["name": "Barn"], into: "projects", id: "p")
        try replica.insert(["name": "Paint", "project_id": "p"], into: "tasks", id: "t")
        return replica
    }

    private func opened(_ scratch: Scratch) throws -> Replica {
        let schema = AllProjectsScene.schemaJSON["collections"]?.text
        return try Replica(path: scratch.path, scope: .allProjects, schema: schema)
    }

    /// Only `/auth/me/` is asked.
    @Test func theFirstSyncAsksWhoseItIsWhatWasMadeBefore() async throws {
        let scratch = try Scratch()
        let replica = try begun(scratch)
        let remote = try Remote(url: "http://server", scope: .allProjects, token: "t")
        let syncer = try Syncer(
            remote: remote, transport: Identity(user: 1), replica: replica, environment: ManualClock().environment())
        let before = try replica.state()
        let expected = ReplicaError.unclaimedEdits(2)
        await #expect(throws: expected) { try await syncer.sync() }
        await #expect(throws: expected) { try await syncer.pull() }
        await #expect(throws: expected) { try await syncer.push() }
        #expect(try replica.state() == before && replica.unsentCount() == 2)
        let words = "2 edits were made here before anybody signed in. Keep them as yours, or discard them."
        #expect("\(expected)" == words)
        // It is nobody's, so anybody may take it.
        try replica.adoptUnclaimed()
        try await check(replica, as: 2)
    }

    @Test func whoKeepsItOwnsIt() async throws {
        let scratch = try Scratch()
        try begun(scratch).adoptUnclaimed()
        // The answer is in the file.
        let replica = try opened(scratch)
        try await check(replica, as: 1)
        #expect(try replica.unsentCount() == 2)
        await #expect(throws: ReplicaError.otherUser(path: scratch.path)) { try await check(replica, as: 2) }
        try replica.discardUnclaimed()
        #expect(try replica.unsentCount() == 2)
    }

    @Test func whoDiscardsItBeginsWithNothing() async throws {
        let scratch = try Scratch()
        let replica = try begun(scratch)
        try replica.adoptUnclaimed()
        try replica.discardUnclaimed()
        #expect(try replica.unsentCount() == 0 && replica.ids(of: "projects").isEmpty && replica.ids().isEmpty)
        // The earlier answer is not one about what comes now.
        try replica.insert(["name": "Hut"], into: "projects", id: "h")
        let error = await #expect(throws: ReplicaError.self) { try await check(replica, as: 1) }
        #expect(error?.description == "1 edit was made here before anybody signed in. Keep it as yours, or discard it.")
        try replica.discardUnclaimed()
        try await check(replica, as: 1)
    }

    /// An answer without a question means nothing later.
    @Test func anEmptyReplicaIsClaimedWithoutAQuestion() async throws {
        let scratch = try Scratch()
        let replica = try opened(scratch)
        try replica.adoptUnclaimed()
        try replica.insert(["name": "Barn"], into: "projects", id: "p")
        await #expect(throws: ReplicaError.unclaimedEdits(1)) { try await check(replica, as: 1) }
        try replica.delete("p", from: "projects")
        try await check(replica, as: 1)
    }

    /// Versions without owners have pulled it, or this version has with an app that brings its schema.
    @Test func aReplicaThatWasPulledBeforeGoesOnWithoutAQuestion() async throws {
        let scene = try AllProjectsScene.pulled()
        try scene.replica.update("a1", in: "tasks", with: ["name": "mine"])
        try scene.replica.insert(["name": "new", "project_id": "p1"], into: "tasks", id: "n")
        try scene.replica.edit("ALTER TABLE _replica DROP COLUMN adopted; ALTER TABLE _replica DROP COLUMN owner")
        let replica = try opened(scene.scratch)
        try replica.discardUnclaimed()
        try await check(replica, as: 1)
        #expect(try replica.unsentCount() == 2)
    }

    @Test func whatIsKeptIsSent() async throws {
        let scratch = try Scratch()
        let schema = Fixture.schemaJSON["collections"]?.text
        let replica = try Replica(path: scratch.path, scope: .allProjects, schema: schema)
        try replica.insert(["name": "Paint", "project_id": "p"], into: "tasks", id: "t")
        let server = FakeServer()
        let syncer = try Syncer(
            remote: Remote(url: "http://server", scope: .allProjects, token: "t"),
            transport: AllProjectsServer(server: server), replica: replica, environment: ManualClock().environment())
        await #expect(throws: ReplicaError.unclaimedEdits(1)) { try await syncer.sync() }
        #expect(server.state.withLock { $0.uploads.isEmpty })
        try replica.adoptUnclaimed()
        _ = try await syncer.sync()
        #expect(try server.live("tasks")["t"]?["name"] == "Paint" && replica.unsentCount() == 0)
    }

    /// Nothing is sent and nothing is pulled with another user's token.
    @Test func anotherUsersTokenIsRefusedBeforeAnythingIsSent() async throws {
        let scratch = try Scratch()
        let replica = try Replica(path: scratch.path, scope: .allProjects)
        try await check(replica, as: 1)
        let remote = try Remote(url: "http://server", scope: .allProjects, token: "t")
        let syncer = try Syncer(
            remote: remote, transport: Identity(user: 2), replica: replica, environment: ManualClock().environment())
        let expected = ReplicaError.otherUser(path: scratch.path)
        await #expect(throws: expected) { try await syncer.pull() }
        await #expect(throws: expected) { try await syncer.push() }
        await #expect(throws: expected) { try await syncer.sync() }
    }
}
