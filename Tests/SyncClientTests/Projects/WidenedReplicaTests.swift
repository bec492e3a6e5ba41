import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// A replica of one project becomes one of all projects.
@Suite struct WidenedReplicaTests {
    private typealias Scene = AllProjectsScene

    private func ofOneProject() throws -> (Scratch, Replica) {
        let scratch = try Scratch()
        let replica = try scratch.replica(project: "p1")
        let schema = try ServerSchema(Scene.schemaJSON)
        _ = try replica.adopt(schema)
        try replica.take(
            Fixture.page(["tasks": Fixture.changes(updated: [Scene.task("a1", "p1"), Scene.task("b1", "p1")])]),
            schema: schema)
        try replica.update("a1", in: "tasks", with: ["name": "mine"])
        try replica.insert(["name": "new"], into: "tasks", id: "n1")
        return (scratch, replica)
    }

    @Test func aReplicaOfOneProjectBecomesOneOfAllAndKeepsUnsentEdits() throws {
        let (scratch, replica) = try ofOneProject()
        try replica.widen()
        let state = try replica.state()
        #expect(state.scope == .allProjects && state.project == nil && state.since == .zero)
        try replica.widen()
        let wide = try Replica(path: scratch.path, scope: .allProjects)
        let rows = [Scene.task("a1", "p1", "theirs", version: 3), Scene.task("a2", "p2")]
        let page = Scene.page([Scene.project("p1"), Scene.project("p2")], rows, at: 9, heads: ["p1": 5, "p2": 2])
        try wide.take(page, schema: Scene.schema)
        #expect(try wide.ids() == ["a1", "a2", "n1"])
        #expect(try wide.row("a1")?["name"] == "mine" && wide.row("n1")?["project_id"] == "p1")
        guard
            case .batch(let batch) = try wide.nextBatch(
                BatchLimits(rows: 9, bytes: 9999), at: .test, newID: { "b" })
        else { throw SyncError.violation("there is no batch") }
        #expect(batch.rows.map(\.id) == ["n1", "a1"] && batch.body.contains(#""project_id":"p1""#))
    }

    @Test func aBatchThatWaitsGoesToItsProjectFirst() throws {
        let (scratch, replica) = try ofOneProject()
        guard
            case .batch(let batch) = try replica.nextBatch(
                BatchLimits(rows: 9, bytes: 9999), at: .test, newID: { "b" })
        else { throw SyncError.violation("there is no batch") }
        #expect(try replica.hasWaitingBatch())
        #expect(throws: ReplicaError.batchWaits(path: scratch.path)) { try replica.widen() }
        #expect(try replica.state().scope == .project("p1"))
        let answer: JSON = [
            "client_batch_id": "b", "timestamp": 50,
            "applied": [
                "tasks": [
                    "created": [["id": "n1", "server_version": 1]], "updated": [["id": "a1", "server_version": 2]],
                    "deleted": [],
                ]
            ],
        ]
        _ = try replica.settle(batch, UploadAnswer(answer, to: "b"), at: .test)
        try replica.widen()
        // The drain from 0 lacks what was answered: it was requested after the answer, so the server has lost it.
        let page = Scene.page([Scene.project("p1")], [Scene.task("a1", "p1")], at: 9, heads: ["p1": 5])
        try replica.take(page, schema: Scene.schema)
        #expect(try replica.row("a1")?["_changed"] == "name" && replica.row("n1")?["_status"] == "created")
    }

    @Test func thereIsNoWayBackAndTheMessageSaysWhatToDo() throws {
        let scene = try AllProjectsScene.pulled()
        let expected = ReplicaError.otherScope(path: scene.scratch.path, bound: .allProjects, asked: .project("p1"))
        #expect(throws: expected) { try scene.scratch.replica(project: "p1") }
        #expect("\(expected)".contains("Sync it with --all, or pull project p1 into another file"))
        let remote = try Remote(url: "http://localhost", project: "p1", token: "t")
        #expect(throws: expected) { try Syncer(remote: remote, transport: FakeServer(), replica: scene.replica) }
    }

    /// The form of one project has the file format that it had before, so the version before opens it, too.
    @Test func aReplicaOfOneProjectIsAsBeforeAndPullsOnFromItsWatermark() throws {
        let (scratch, replica) = try ofOneProject()
        let (format, tables) = try replica.read { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA user_version"),
                try String.fetchSet(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            )
        }
        #expect(format == 3 && tables.isDisjoint(with: ["_project", "_batch_project", "_drain_project"]))
        let before = try replica.state()
        let opened = try scratch.replica(project: "p1")
        let schema = try ServerSchema(Scene.schemaJSON)
        #expect(try opened.adopt(schema) == before)
        try opened.take(
            Fixture.page(["tasks": Fixture.changes(updated: [Scene.task("c1", "p1")])], timestamp: 43), schema: schema)
        #expect(try opened.state().since == SyncSeq(43) && opened.row("c1")?["project_id"] == nil)
        #expect(try opened.ids() == ["a1", "b1", "c1", "n1"])
    }
}
