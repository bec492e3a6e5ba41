import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// What the server caches must not be used after it has changed, and a shared answer must be right for each caller.
@Suite struct SharedPageTests {
    private let gzip = ["Accept-Encoding": "gzip"]

    /// A gzip page is compressed in two parts: one that callers share,
    /// and one of this caller. Unpacked, it equals the plain page.
    @Test func aPackedPageUnpacksToThePlainOneForEachReader() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<60).map { "t\($0)" })
        for role in [Role.owner, .member, .viewer, .owner] {
            let client = try await scene.client(role)
            let packed = try await client.page(["page_size": "20"], headers: gzip)
            #expect(packed.header("Content-Encoding") == "gzip")
            #expect(packed.header("Content-Length") == "\(packed.body.count)")
            let unpacked = try await client.page(["page_size": "20"], headers: gzip, unpacks: true)
            #expect(unpacked.body == (try await client.page(["page_size": "20"])).body)
            let next = try #require(unpacked.json["next_cursor"]?.string)
            #expect(
                try await client.page(["page_size": "20", "cursor": next], headers: gzip, unpacks: true).status == 200)
        }
    }

    @Test func aPollThatFindsNothingIsTheSameForEachEncoding() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let client = try await scene.client(.member)
        let head = try await client.drain().timestamp
        for _ in 0..<2 {
            let plain = try await client.page(["since": "\(head)"])
            #expect(plain.json["has_more"] == false && plain.json["timestamp"] == .int(head))
            #expect(plain.json["digest"]?["tasks"]?["count"] == 1)
            let unpacked = try await client.page(["since": "\(head)"], headers: gzip, unpacks: true)
            #expect(unpacked.body == plain.body)
            let stream = try await client.page(["since": "\(head)", "stream": "true"])
            #expect(stream.body == plain.body)
        }
    }

    /// A command next to the server commits, without notifying the server.
    @Test(.enabled(if: TestEngine.isSQLite)) func anotherProcesssWriteIsInTheNextPoll() async throws {
        let scene = try await Scene()
        let client = try await scene.client(.member)
        let head = try await client.drain().timestamp
        #expect(try await client.page(["since": "\(head)"]).json["timestamp"] == .int(head))
        let guest = try SQLiteStore(
            path: scene.folder.path("t.db"), registry: scene.registry, opener: .guest, mender: DraftMender())
        let beside = try await scene.bench.moved(to: .sqlite(guest))
        try await beside.edit { try $0.insert("tasks", "t-beside", ["name": "Beside"]) }
        let next = try await client.page(["since": "\(head)"])
        #expect(next.json["changes"]?["tasks"]?["updated"]?.array?.count == 1)
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func aTokenRevokedByAnotherProcessIsRefusedAtOnce() async throws {
        let scene = try await Scene()
        let client = try await scene.client(.member)
        #expect(try await client.page().status == 200)
        let guest = try SQLiteStore(
            path: scene.folder.path("t.db"), registry: scene.registry, opener: .guest, mender: DraftMender())
        try await guest.write { transaction in
            let user = try transaction.user(named: scene.bench.caller(.member).username)!
            for token in try transaction.tokens(of: user.id, after: 0, limit: 100) {
                _ = try transaction.deleteToken(token.id, of: user.id)
            }
        }
        #expect(try await client.page().status == 401)
    }

    @Test func aTokenThatIsRememberedExpiresAllTheSame() async throws {
        let scene = try await Scene()
        let client = try await scene.client(
            named: scene.bench.caller(.member).username.rawValue, validFor: .seconds(60))
        #expect(try await client.page().status == 200)
        scene.clock.advance(by: .seconds(61))
        #expect(try await client.page().status == 401)
    }

    @Test func aRoleThatFellIsJudgedOnTheNextPage() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<40).map { "t\($0)" })
        let client = try await scene.client(.member)
        let first = try await client.page(["page_size": "10"])
        let cursor = try #require(first.json["next_cursor"]?.string)
        try await scene.setRole(of: .member, to: .viewer)
        #expect(try await client.page(["page_size": "10", "cursor": cursor]).status == 400)
        try await scene.removeMember(.member)
        #expect(try await client.page(["page_size": "10"]).status == 403)
    }
}
