import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// What one of several servers does beside requests.
@Suite(.timeLimit(.minutes(30))) struct JobTests {
    @Test func oneServerAtATimeDoesAJob() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let (one, other) = (two.stores[0], two.stores[1])
        let isDone = try await one.exclusively(.purge) {
            for server in two.stores {
                let isDone = try await server.exclusively(.purge) { Issue.record("The job is done twice.") }
                #expect(!isDone)
            }
        }
        let isDoneAgain = try await other.exclusively(.purge) {}
        #expect(isDone && isDoneAgain)
    }

    @Test func aJobThatFailsLeavesTheWayFree() async throws {
        struct Stop: Error {}
        let two = try await TwoServers()
        defer { two.close() }
        await #expect(throws: Stop.self) { try await two.stores[0].exclusively(.purge) { throw Stop() } }
        let isDone = try await two.stores[1].exclusively(.purge) {}
        #expect(isDone)
    }

    /// A server that is gone holds no lock.
    @Test func aLostServerLeavesTheWayFree() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        _ = try await two.stores[0].exclusively(.purge) {
            try two.database.endOtherSessions()
            var isFree = false
            while !isFree { isFree = (try? await two.stores[1].exclusively(.purge) {}) ?? false }
        }
    }

    @Test func theStoresOwnRecordsGoAfterADay() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        try await two.stores[0].commit(to: "p0")
        let receipts = try two.database.run("SELECT count(*) FROM tidemark_receipts")
        try two.database.run(
            """
            INSERT INTO tidemark_receipts (at, id, is_commit)
              SELECT extract(epoch FROM now()) - 90000, n, 1 FROM generate_series(1, 5) n;
            INSERT INTO tidemark_nodes VALUES ('old', now() - interval '25 hours'), ('late', now() - interval '1 hour');
            INSERT INTO tidemark_throttle VALUES ('old', 0, 0, 0)
            """)
        try await two.stores[0].tidyUp(at: WallClock.system.now())
        let old = "SELECT count(*) FROM tidemark_receipts WHERE at < extract(epoch FROM now()) - 86400"
        #expect(try two.database.run(old) == [["0"]])
        #expect(try two.database.run("SELECT count(*) FROM tidemark_receipts") == receipts)
        #expect(try two.database.run("SELECT name FROM tidemark_nodes WHERE name IN ('old', 'late')") == [["late"]])
        #expect(try two.database.run("SELECT key FROM tidemark_throttle").isEmpty)
    }

    /// No server knows whether another one creates a project now. After a day, nobody does.
    @Test func aProjectWhoseCreationBrokeOffGoesAfterADay() async throws {
        let two = try await TwoServers(projects: 0)
        defer { two.close() }
        let store = two.stores[0]
        for project in ["old", "new"] {
            try await store.write(.project(project)) { transaction in
                try transaction.createProject(project)
                try transaction.setState(project: project, isArchived: false, isDeleted: true)
                let seq = try transaction.drawSeq(of: project)
                try transaction.number(NumberedCommit(project: project, seq: seq, at: WallClock.system.now()))
            }
        }
        _ = try await store.read { try $0.newestNumber() }
        try two.database.run("UPDATE tidemark_numbers SET at = at - 90000000 WHERE project_id = 'old'")
        try await store.tidyUp(at: WallClock.system.now())
        #expect(try two.database.run("SELECT id FROM tidemark_projects") == [["new"]])
    }
}
