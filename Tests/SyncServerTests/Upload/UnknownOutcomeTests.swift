import Foundation
import PostgreSQLTestKit
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// A commit of which nobody can say whether it happened. Only a database on another machine has such commits.
@Suite(.timeLimit(.minutes(20))) struct UnknownOutcomeTests {
    /// Ends the session of whoever commits a change of a project.
    private static let breaking = """
        CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER hang_up AFTER UPDATE ON tidemark_projects DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION hang_up()
        """

    /// The client is told that it does not know, not that nothing was applied. The same batch can be sent again.
    @Test func theClientIsToldThatItIsNotKnown() async throws {
        let (database, registry, folder) = (try TestDatabase(), try Registry.builtIn(), try TemporaryFolder())
        let store = EngineStore.postgreSQL(try database.open(registry, longestQuestion: .zero))
        let bench = try await Workbench(store, registry)
        let server = try await TestServer(
            store, registry, in: folder, clock: WallClock { Workbench<EngineStore>.noon }, keeping: database)
        let token = try await bench.accounts.createToken(
            for: bench.caller(.owner).username.rawValue, name: "test")
        let client = Client(server: server, project: bench.project, token: token)
        let head = try await client.drain().timestamp
        try database.run(Self.breaking)

        let batch: JSON = [
            "client_batch_id": .string(UUID().uuidString), "last_pulled_at": .int(head),
            "changes": ["tasks": ["created": [["id": "t1", "name": "Once"]]]],
        ]
        let path = "/projects/\(bench.project)/sync/"
        let answer = try await client.send("POST", path, batch.data)
        #expect(answer.status == 504 && answer.code == "outcome_unknown", "\(answer.text)")
        #expect(answer.text.contains("may have been applied"))
        let deletion = try await client.send("DELETE", "/projects/\(bench.project)/")
        #expect(deletion.status == 504 && deletion.code == "outcome_unknown")

        try database.run("DROP FUNCTION hang_up CASCADE")
        let again = try await client.send("POST", path, batch.data)
        #expect(again.status == 200, "\(again.text)")
        let third = try await client.send("POST", path, batch.data)
        #expect(third.text == again.text && third.header("Idempotent-Replayed") == "true")
        #expect(try await client.page().json.text.components(separatedBy: "\"Once\"").count == 2)
    }
}
