import Foundation
import SyncProtocol
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
