import ArgumentParser
import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

@testable import tidemark

/// Replicas of all projects, against the real server.
@Suite(.timeLimit(.minutes(30))) struct AllProjectsTests {
    private let server: ServedProject
    private let other: Workbench<SQLiteStore>
    private let path: String
    private let token: String

    init() async throws {
        server = try await ServedProject()
        other = try await server.bench.another("p2")
        path = server.folder.path("all.replica")
        token = try await server.token(.member)
    }

    private var options: [String] { [server.url, "--token", token, "--replica", path] }

    private func sync(_ direction: SyncDirection = .both, _ scope: String...) async throws {
        try await Connection.parse(options + (scope.isEmpty ? ["--all"] : scope)).run(direction)
    }

    private func add(_ collection: String, _ id: String, _ fields: String...) throws {
        try RowAddCommand.parse([collection, "--id", id, "--replica", path] + fields).run()
    }

    private func names(
        _ collection: String, in projects: [String] = ["p1", "p2"]
    ) async throws -> [String: String] {
        let rows = try await server.bench.store.read { transaction in
            try projects.flatMap { project in
                try transaction.records(in: server.bench.registry.collection(collection), project: project)
                    .map { ($0.id, project) }
            }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    // MARK: Random histories

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func replicasHoldWhatTheirUsersMaySeeAndNoEditIsLost(seed: UInt64) async throws {
        var history = try await WideHistory(seed: seed)
        try await history.run(steps: 60)
    }

    // MARK: Commands

    @Test func rowsOfTwoProjectsAreEditedInOneReplica() async throws {
        try await sync(.pull)
        try add("tasks", "t-1", "name=One", "--project", "p1")
        try add("tasks", "t-2", "name=Two", "project_id=p2")
        try TaskAddCommand.parse(["--name", "Three", "--id", "t-3", "--project", "p2", "--replica", path]).run()
        try await sync()
        #expect(try await names("tasks") == ["t-1": "p1", "t-2": "p2", "t-3": "p2"])
        let replica = try Replica(existing: path)
        #expect(try replica.unsentCount() == 0)
        let lines = RowLines(of: try replica.known("tasks"), in: try replica.schema())
        #expect(
            lines.sorted(try replica.liveRows(of: "tasks")).map(lines.line) == [
                " \tt-1\tp1\tOne", " \tt-3\tp2\tThree", " \tt-2\tp2\tTwo",
            ])
        #expect(try replica.liveRows(of: "tasks", in: "p1").map { $0["id"] } == ["t-1"])
        try RowSetCommand.parse(["tasks", "t-2", "notes=x", "--replica", path]).run()
        try RowRemoveCommand.parse(["tasks", "t-3", "--replica", path]).run()
        try await sync(.push)
        try await sync(.pull)
        #expect(try replica.liveRows(of: "tasks", in: "p2").map { $0["notes"] } == ["x"])
    }

    @Test func aNewRowWithoutItsProjectSaysWhatToDo() async throws {
        try await sync(.pull)
        let missing = #expect(throws: CommandError.self) { try add("tasks", "t", "name=x") }
        #expect(
            missing?.description == """
                The replica holds all your projects, so a new row of `tasks` needs `project_id`. Give --project ID. \
                This lists the projects: tidemark row list projects --replica \(path)
                """)
        let unknown = #expect(throws: CommandError.self) { try add("tasks", "t", "name=x", "--project", "p9") }
        #expect(unknown?.description.hasPrefix("The replica has no project `p9`. This lists") == true)
        let list = #expect(throws: CommandError.self) {
            try RowListCommand.parse(["tasks", "--project", "p9", "--replica", path]).run()
        }
        #expect(list?.description == unknown?.description)
        let moved = #expect(throws: CommandError.self) {
            try RowSetCommand.parse(["projects", "p1", "project_id=p2", "--replica", path]).run()
        }
        #expect(moved?.description.isEmpty == false)
    }

    @Test func oneProjectOrAllMustBeNamed() throws {
        for arguments in [[], ["--all", "--project", "p1"]] {
            let error = #expect(throws: (any Error).self) { try Connection.parse(options + arguments) }
            let message = error.map { Connection.fullMessage(for: $0) } ?? ""
            #expect(message.contains("Give either --project ID, or --all"))
        }
    }

    @Test func theReportSaysWhichProjectsWereLost() async throws {
        try await sync(.pull)
        try add("tasks", "t-2", "name=Mine", "--project", "p2")
        try await other.setRole(of: .member, to: nil)
        let replica = try Replica(existing: path)
        let remote = try Remote(url: server.url, scope: .allProjects, token: token)
        let transport = AsyncHTTPClientTransport()
        var outcome = SyncOutcome()
        outcome.pulled = try await Syncer(remote: remote, transport: transport, replica: replica).pull()
        try await transport.shutdown()
        let report = SyncReport(outcome: outcome, refused: [])
        #expect(
            report.sentence.hasSuffix(
                " You are no longer a member of project p2 “Test”; 1 unsent edit set aside."))
        #expect(
            report.json["left"] == [
                ["project_id": "p2", "name": "Test", "code": "membership_revoked", "set_aside": 1]
            ])
        #expect(try replica.setAside().map(\.id) == ["t-2"])
        #expect(try replica.rows(of: "projects").map { $0["id"] } == ["p1"])
    }

    @Test func theReportSaysThatAPullDidNotSettle() async throws {
        let replica = try Replica(path: path, scope: .allProjects)
        let remote = try Remote(url: server.url, scope: .allProjects, token: token)
        let transport = AsyncHTTPClientTransport()
        var pulled = try await Syncer(remote: remote, transport: transport, replica: replica).pull()
        try await transport.shutdown()
        var report = SyncReport(outcome: SyncOutcome(pulled: pulled), refused: [])
        #expect(!report.sentence.contains("settled") && report.json["pulled"]?["settled"] == true)
        pulled.isSettled = false
        report = SyncReport(outcome: SyncOutcome(pulled: pulled), refused: [])
        #expect(report.sentence.contains(", not settled: ") && report.json["pulled"]?["settled"] == false)
    }

    /// Its rows and its calendar come along, also if no two rows fit into one batch.
    @Test(arguments: [1, 2, 500]) func aProjectIsMadeOfflineWithItsRows(batch: Int) async throws {
        try await sync(.pull)
        try add("projects", "p-new", "name=New", "start_date=2026-06-01", "calendar=cal")
        try add("tasks", "a-child", "name=Child", "parent=t-root", "--project", "p-new")
        try add("tasks", "t-root", "name=Root", "--project", "p-new")
        try add("calendars", "cal", "name=C", "--project", "p-new")
        try add("projects", "p-plain", "name=Plain", "start_date=2026-06-01")
        try add("tasks", "t-1", "name=One", "--project", "p1")
        let replica = try Replica(existing: path)
        let transport = AsyncHTTPClientTransport()
        var options = SyncOptions()
        options.batchRows = batch
        options.firstDelay = .milliseconds(1)
        let remote = try Remote(url: server.url, scope: .allProjects, token: token)
        let outcome = try await Syncer(
            remote: remote, transport: transport, replica: replica, options: options
        ).sync()
        try await transport.shutdown()
        #expect(outcome.pushed?.applied == 6 && outcome.pushed?.refused == 0)
        #expect(try replica.unsentCount() == 0)
        #expect(try await names("tasks", in: ["p1", "p-new"]) == ["a-child": "p-new", "t-root": "p-new", "t-1": "p1"])
        #expect(try await names("calendars", in: ["p-new"]) == ["cal": "p-new"])
        let plain = try #require(try replica.row(of: "projects", id: "p-plain"))
        #expect(plain["calendar"]?.string?.hasPrefix("c-") == true)
        try RowRemoveCommand.parse(["projects", "p-new", "--replica", path]).run()
        try await sync()
        #expect(try replica.rows(of: "projects").compactMap { $0["id"]?.string } == ["p-plain", "p1", "p2"])
        #expect(try replica.setAside().isEmpty)
    }

    @Test func anArchivedProjectKeepsItsEditsUnsentAndTheOthersGo() async throws {
        try await sync(.pull)
        _ = try await other.items.archive(true, project: "p2", by: other.caller(.owner))
        try add("tasks", "t-1", "name=One", "--project", "p1")
        try add("tasks", "t-2", "name=Two", "--project", "p2")
        let error = await #expect(throws: ExitCode.self) { try await sync() }
        #expect(error == ExitCode(3))
        #expect(try await names("tasks") == ["t-1": "p1"])
        #expect(try Replica(existing: path).refused().map(\.code) == ["project_archived"])
        _ = try await other.items.archive(false, project: "p2", by: other.caller(.owner))
        try await sync()
        #expect(try await names("tasks") == ["t-1": "p1", "t-2": "p2"])
    }

    @Test func aCollectionThatDiffersIsReadAgainOfThatProjectAlone() async throws {
        try await sync(.pull)
        for (bench, id) in [(server.bench, "t-1"), (other, "t-2")] {
            _ = try await bench.edit { try $0.insert("tasks", id, ["name": "x"]) }
        }
        let replica = try Replica(existing: path)
        let transport = AsyncHTTPClientTransport()
        let outcome = try await Syncer(
            remote: Remote(url: server.url, scope: .allProjects, token: token),
            transport: Forgetful(transport: transport, row: "t-2"), replica: replica
        ).pull()
        try await transport.shutdown()
        #expect(outcome.replaced == ["tasks"] && outcome.differing == [])
        #expect(try replica.rows(of: "tasks").compactMap { $0["id"]?.string } == ["t-1", "t-2"])
    }

    // MARK: From one project to all

    @Test func aReplicaOfOneProjectBecomesOneOfAllAndItsBatchIsSettledFirst() async throws {
        try await sync(.pull, "--project", "p1")
        let replica = try Replica(existing: path)
        try replica.insert(["name": "Sent"], into: "tasks", id: "t-1")
        let remote = try Remote(url: server.url, project: "p1", token: token)
        var options = SyncOptions()
        options.patience = .zero
        let transport = AsyncHTTPClientTransport()
        await #expect(throws: SyncError.self) {
            _ = try await Syncer(
                remote: remote, transport: LosingUploads(transport: transport), replica: replica, options: options
            ).push()
        }
        try await transport.shutdown()
        #expect(try replica.hasWaitingBatch())
        try replica.update("t-1", in: "tasks", with: ["notes": "later"])
        try await sync()
        #expect(try Replica(existing: path).state().scope == .allProjects)
        #expect(try await names("tasks") == ["t-1": "p1"])
        let task = try #require(try replica.row(of: "tasks", id: "t-1"))
        #expect(task["notes"] == "later" && task["project_id"] == "p1" && task["server_version"] == 2)
        #expect(try replica.rows(of: "projects").count == 2 && replica.unsentCount() == 0)
        let error = await #expect(throws: CommandError.self) { try await sync(.both, "--project", "p1") }
        #expect(error?.description.hasSuffix("Sync it with --all, or pull project p1 into another file.") == true)
    }
}

/// Leaves a row out of the first page.
private struct Forgetful: Transport {
    let transport: AsyncHTTPClientTransport
    let row: String

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var answer = try await transport.send(request)
        guard request.url.contains("since="), !request.url.contains("migration="),
            var page = try JSON(parsing: answer.body).object, let changes = page["changes"]?.object
        else { return answer }
        let forgotten = changes.mapValues { buckets in
            JSON.object(
                (buckets.object ?? [:]).mapValues { .array(($0.array ?? []).filter { $0["id"]?.string != row }) })
        }
        page["changes"] = .object(forgotten)
        answer.body = Data(JSON.object(page).text.utf8)
        return answer
    }
}

/// Loses every answer to an upload.
private struct LosingUploads: Transport {
    let transport: AsyncHTTPClientTransport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = try await transport.send(request)
        guard request.method == .post else { return answer }
        throw TransportError.interrupted("lost")
    }
}
