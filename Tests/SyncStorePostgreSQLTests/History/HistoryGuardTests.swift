import PostgreSQLTestKit
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Synchronization
import Testing

@testable import SyncStorePostgreSQL

/// A server whose connections lead to a standby that was promoted while it ran.
@Suite struct HistoryGuardTests {
    private struct Scene {
        let database: TestDatabase
        let registry: Registry
        let connection: Connection
        let history: HistoryGuard
        let reasons = Reasons()

        /// The guard believes that the server's timeline has just begun.
        init(_ rule: FailoverRule? = .ask) async throws {
            (database, registry) = (try TestDatabase(), try Registry.builtIn())
            let store = try database.open(registry)
            try await store.write { try $0.createProject("p0") }
            for _ in 0..<3 { try await store.commit(to: "p0") }
            store.close()
            try database.run("UPDATE tidemark_home SET timeline = timeline - 1")
            connection = try Connection(database.address, settings: SessionSettings.writers)
            let here = try Incarnation(connection)
            let home = Home(system: here.system, timeline: here.timeline - 1, epoch: 1)
            let tables = CollectionTables(registry, PostgreSQLDialect())
            history = HistoryGuard(home, here: Incarnation(before: here), rule: rule, tables: tables)
            history.onEnd { [reasons] reason in reasons.all.withLock { $0.append(reason) } }
        }

        func number(_ sql: String) throws -> Int64? { try connection.ask(sql).first?.integer(0) }
    }

    private final class Reasons: Sendable {
        let all = Mutex<[StoreError]>([])
        var count: Int { all.withLock(\.count) }
    }

    @Test func aPromotionThatHasEverythingIsFollowed() async throws {
        let scene = try await Scene()
        scene.history.given.note("p0", SyncSeq(3))
        scene.history.given.note(CommitNumber(1))
        try scene.history.admit(scene.connection)
        #expect(try scene.number("SELECT head FROM tidemark_projects") == 3)
        #expect(try scene.number("SELECT timeline FROM tidemark_home") == Incarnation(scene.connection).timeline)
        try scene.history.require(epoch: 1)
        #expect(scene.reasons.count == 0)
    }

    @Test func aPromotionThatLacksACommitRaisesNumbers() async throws {
        let scene = try await Scene()
        scene.history.given.note("p0", SyncSeq(4))
        #expect(throws: DatabaseError.self) { try scene.history.admit(scene.connection) }
        #expect(try scene.number("SELECT head FROM tidemark_projects") ?? 0 > 1 << 32)
        #expect(try scene.number("SELECT epoch FROM tidemark_home") == 2)
        #expect(scene.reasons.count == 1)
        #expect(throws: DatabaseError.self, "the store has ended") { try scene.history.admit(scene.connection) }
    }

    @Test func aPromotionThatLacksANumberRaisesNumbers() async throws {
        let scene = try await Scene()
        scene.history.given.note(CommitNumber(1000))
        #expect(throws: DatabaseError.self) { try scene.history.admit(scene.connection) }
        #expect(scene.reasons.count == 1)
    }

    @Test func withAsynchronousReplicationEveryPromotionRaisesNumbers() async throws {
        let scene = try await Scene(.jump)
        #expect(throws: DatabaseError.self) { try scene.history.admit(scene.connection) }
        #expect(try scene.number("SELECT head FROM tidemark_projects") ?? 0 > 1 << 32)
    }

    @Test func ofTwoServersTheFirstOneDecides() async throws {
        let scene = try await Scene()
        scene.history.given.note("p0", SyncSeq(3))
        try scene.database.open(scene.registry, as: .promoted).close()
        try scene.history.admit(scene.connection)
        #expect(try scene.number("SELECT epoch FROM tidemark_home") == 1)
    }

    @Test func aCommitIsThereOrItsQuestionKeepsItOut() throws {
        let database = try TestDatabase()
        try database.open(Registry.builtIn()).close()
        let connection = try Connection(database.address, settings: SessionSettings.writers)
        let (lost, made) = (Receipt(), Receipt())
        #expect(try !lost.isWritten(connection))
        #expect(try !lost.isWritten(connection), "the first question's own row is not taken for the commit")
        let session = Session(connection, kind: .writing)
        try made.write(session)
        try session.send("COMMIT")
        try session.fly()
        #expect(try made.isWritten(connection))
        #expect(try made.isWritten(connection))
        let late = Session(connection, kind: .writing)
        #expect(throws: DatabaseError.self) {
            try lost.write(late)
            try late.fly()
        }
    }

    @Test func connectionsToAServerThatWasReplacedAreUsedNoMore() async throws {
        let scene = try await Scene()
        let next = try Connection(scene.database.address, settings: SessionSettings.readers)
        scene.connection.generation = 0
        #expect(scene.history.isCurrent(scene.connection))
        try scene.history.admit(next)
        #expect(scene.history.isCurrent(next))
        #expect(!scene.history.isCurrent(scene.connection))
        #expect(throws: DatabaseError.self) { try scene.history.requireCurrent(scene.connection) }
    }

    @Test func aProjectThatIsGoneWasLost() async throws {
        let scene = try await Scene()
        scene.history.given.note("p1", SyncSeq(1))
        #expect(throws: DatabaseError.self) { try scene.history.admit(scene.connection) }
        #expect(scene.reasons.count == 1)
    }

    @Test func aLostRevocationRaisesNumbers() async throws {
        let scene = try await Scene()
        scene.history.given.note(accounts: CommitMark(7))
        #expect(throws: DatabaseError.self) { try scene.history.admit(scene.connection) }
        #expect(scene.reasons.count == 1)
    }

    @Test func aCommandLeavesPromotionsToServers() async throws {
        let scene = try await Scene(nil)
        #expect(throws: DatabaseError.self) { try scene.history.admit(scene.connection) }
        #expect(scene.reasons.count == 1)
        #expect(try scene.number("SELECT head FROM tidemark_projects") == 3)
        #expect(try scene.number("SELECT timeline FROM tidemark_home") == Incarnation(scene.connection).timeline - 1)
    }

    @Test func aHeartbeatThatNobodyTakesStopsTheServer() async throws {
        let scene = try await Scene()
        let line = DatabaseLine(address: scene.database.address, settings: "", history: scene.history)
        #expect(throws: DatabaseError.self) { try Heartbeat(line, patience: .zero).requireFresh() }
        try Heartbeat(line, patience: .seconds(3600)).requireFresh()
    }
}

extension Incarnation {
    /// The run of the primary that was there before.
    fileprivate init(before other: Incarnation) {
        self.init(system: other.system, timeline: other.timeline - 1, startedAt: "before")
    }
}
