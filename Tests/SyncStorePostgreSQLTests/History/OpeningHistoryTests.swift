import PostgreSQLTestKit
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Synchronization
import Testing

@testable import SyncStorePostgreSQL

/// What opening does when the database's history may have lost something. The tests change what the database remembers
/// of its home; `scripts/check-deep promotions` promotes real standbys.
@Suite struct OpeningHistoryTests {
    /// A database with one project and three commits.
    private func used() async throws -> (TestDatabase, Registry) {
        let (database, registry) = (try TestDatabase(), try Registry.builtIn())
        let store = try database.open(registry)
        defer { store.close() }
        try await store.write { try $0.createProject("p0") }
        for _ in 0..<3 { try await store.commit(to: "p0") }
        return (database, registry)
    }

    private func head(_ database: TestDatabase, _ registry: Registry) async throws -> Int64? {
        let store = try database.open(registry, as: .guest)
        defer { store.close() }
        return try await store.read { try $0.project("p0")?.head.rawValue }
    }

    private let promote = "UPDATE tidemark_home SET timeline = timeline - 1"

    @Test func nobodyServesAPromotionThatNoServerSaw() async throws {
        let (database, registry) = try await used()
        try database.run(promote)
        for opener in [DatabaseOpener.server(.ask), .guest] {
            let error = #expect(throws: StoreError.self) { try database.open(registry, as: opener) }
            #expect(error?.description.contains("tidemark promoted") == true)
        }
    }

    @Test func aPromotionThatLostNothingIsDeclared() async throws {
        let (database, registry) = try await used()
        try database.run(promote)
        try database.open(registry, as: .promoted).close()
        try database.open(registry).close()
        #expect(try await head(database, registry) == 3)
    }

    @Test(arguments: [DatabaseOpener.restored, .server(.jump)])
    func aPromotionThatMayHaveLostCommitsRaisesNumbers(opener: DatabaseOpener) async throws {
        let (database, registry) = try await used()
        try database.run(promote)
        let store = try database.open(registry, as: opener)
        let jump = try #require(store.jumpAtOpening)
        store.close()
        #expect(jump.projects == 1)
        #expect(try await head(database, registry) == 3 + jump.distance)
        let again = try database.open(registry)
        defer { again.close() }
        #expect(again.jumpAtOpening == nil)
    }

    @Test func trustNeedsASynchronousStandby() async throws {
        let (database, registry) = try await used()
        try database.run(promote)
        let error = #expect(throws: StoreError.self) { try database.open(registry, as: .server(.trust)) }
        #expect(error?.description.contains("synchronous_standby_names") == true)
    }

    @Test func aDumpInAnotherClusterRaisesNumbers() async throws {
        let (database, registry) = try await used()
        try database.run("UPDATE tidemark_home SET system = '1'")
        let store = try database.open(registry)
        let jump = try #require(store.jumpAtOpening)
        store.close()
        #expect(try await head(database, registry) == 3 + jump.distance)
    }

    @Test(arguments: [DatabaseOpener.server(.ask), .server(.trust), .server(.jump), .guest, .promoted])
    func anEarlierPrimaryIsRefused(opener: DatabaseOpener) async throws {
        let (database, registry) = try await used()
        try database.run("UPDATE tidemark_home SET timeline = timeline + 1")
        let error = #expect(throws: StoreError.self) { try database.open(registry, as: opener) }
        #expect(error?.description.contains("earlier primary") == true)
    }

    /// Another server knows what was there before the promotion, and decides.
    @Test func aStartWaitsForAServerThatRuns() async throws {
        let (database, registry) = try await used()
        try database.run(promote)
        try database.run("INSERT INTO tidemark_nodes (name, seen_at) VALUES ('other', now())")
        async let store = Task.detached { try database.open(registry) }.value
        try database.run("UPDATE tidemark_home SET timeline = timeline + 1")
        try await store.close()
    }

    @Test func serversEndWhenNumbersWereRaised() async throws {
        let (database, registry) = try await used()
        let stores = try [database.open(registry), database.open(registry)]
        defer { for store in stores { store.close() } }
        let reasons = Mutex<[String]>([])
        for store in stores { store.onEnd { reason in reasons.withLock { $0.append(reason.description) } } }
        try database.open(registry, as: .restored).close()
        let answer = await #expect(throws: Problem.self) { try await stores[0].mark(of: .project("p0")) }
        #expect(answer?.code == .busy)
        let refusal = await #expect(throws: Problem.self) { try await stores[1].commit(to: "p0") }
        #expect(refusal?.code == .busy)
        #expect(reasons.withLock { $0.count } == 2)
        #expect(reasons.withLock { $0.allSatisfy { $0.contains("Start the server again") } })
    }
}
