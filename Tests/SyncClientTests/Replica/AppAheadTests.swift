import SyncProtocol
import Testing

@testable import SyncClientCore

/// An app that is ahead of its server: its schema has the field `points` of tasks, and the collection `wishes`.
@Suite struct AppAheadTests {
    private static let app = schema("app")

    private static func schema(_ version: String, points: JSON = ["type": "integer", "default": 0]) -> JSON {
        Fixture.schemaJSON(
            version: version, taskFields: ["points": points],
            more: [["title": "wishes", "x-uploadable": true, "properties": ["name": ["type": "string"]]]])
    }

    private func edit(_ replica: Replica) throws {
        try replica.insert(["name": "new", "points": 3], into: "tasks", id: "t")
        try replica.update("a", in: "tasks", with: ["points": 5])
        try replica.update("b", in: "tasks", with: ["name": "B", "points": 7])
        try replica.insert(["name": "wish"], into: "wishes", id: "w")
        try replica.insert(["name": "none"], into: "wishes", id: "x")
        try replica.delete("x", from: "wishes")
    }

    /// Id, reason and points of all copies set aside.
    private func aside(_ replica: Replica) throws -> [[String]] {
        try replica.setAside().map { [$0.id, $0.reason, $0.row["points"]?.text ?? ""] }.sorted { $0[0] < $1[0] }
    }

    @Test func whatItHasBesidesIsEditedAndFound() async throws {
        let scene = try await PushScene(app: Self.app)
        try edit(scene.replica)
        #expect(try scene.replica.row("a")?["points"] == 5 && scene.replica.ids(of: "wishes") == ["w"])
        let found = try scene.replica.rows(RowQuery("tasks", where: ["points": .equals(7)]))
        #expect(found.map { $0["id"] } == ["b"])
        #expect(try scene.replica.unsentCount() == 4)
        #expect(try scene.replica.check(["points": 1], in: "tasks", id: "a").problems.isEmpty)
        #expect(throws: EditError.self) { try scene.replica.update("a", in: "tasks", with: ["points": "many"]) }
        #expect(throws: EditError.self) { try scene.replica.update("a", in: "tasks", with: ["stars": 1]) }
    }

    @Test(arguments: [false, true]) func whatTheServerStillLacksIsSetAside(isAnswerLost: Bool) async throws {
        let scene = try await PushScene(app: Self.app)
        try edit(scene.replica)
        _ = try await scene.syncer(isAnswerLost ? scene.losingTheFirstAnswer() : nil).sync()
        #expect(
            try aside(scene.replica) == [
                ["a", "unknown_field", "5"], ["b", "unknown_field", "7"], ["t", "unknown_field", "3"],
                ["w", "collection_removed", ""],
            ])
        #expect(try scene.replica.ids(of: "wishes").isEmpty && scene.value("b") == "B" && scene.value("t") == "new")
        for id in ["a", "b", "t"] { #expect(try scene.replica.row(id)?["points"] == 0, "\(id)") }
        try scene.expectEqual()
    }

    /// What others have written before this device's watermark comes as well, though table and column are here already.
    @Test func whatTheServerHasByThenGoes() async throws {
        let scene = try await PushScene(app: Self.app)
        scene.server.change {
            $0.put("tasks", "c", ["name": "c", "points": 9])
            $0.put("wishes", "old", ["name": "old"])
        }
        _ = try await scene.syncer().pull()
        try edit(scene.replica)
        scene.server.change { $0.schema = Self.schema("v2") }
        _ = try await scene.syncer().sync()
        #expect(try aside(scene.replica) == [])
        for (id, points) in ["a": 5, "b": 7, "t": 3, "c": 9] as [String: JSON] {
            #expect(try scene.replica.row(id)?["points"] == points, "\(id)")
            #expect(scene.value(id, "points") == points, "\(id)")
        }
        #expect(try scene.replica.ids(of: "wishes") == ["old", "w"])
        try scene.expectEqual()
    }

    @Test(arguments: [Fixture.schemaJSON, AppAheadTests.schema("v2")])
    func whatWasMadeBeforeTheFirstPullGoesOrIsSetAside(server: JSON) async throws {
        let scratch = try Scratch()
        let replica = try scratch.replica(app: Self.app)
        try replica.insert(["name": "new", "points": 3], into: "tasks", id: "t")
        try replica.insert(["name": "plain"], into: "tasks", id: "u")
        try replica.insert(["name": "wish"], into: "wishes", id: "w")
        let fake = FakeServer()
        fake.change { $0.schema = server }
        let syncer = try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: fake, replica: replica,
            options: SyncOptions(), environment: ManualClock().environment())
        _ = try await syncer.sync()
        let lacks = server == Fixture.schemaJSON
        #expect(try aside(replica) == (lacks ? [["t", "unknown_field", "3"], ["w", "collection_removed", ""]] : []))
        #expect(try replica.row("t")?["points"] == (lacks ? 0 : 3) && replica.unsentCount() == 0)
        #expect(fake.live("tasks")["t"]?["points"] == (lacks ? nil : 3))
    }

    /// A row of another project has the id: what was edited is set aside, and that row has nothing of it.
    @Test func aRowThatTakesTheIDHasItsOwnValuesOnly() throws {
        let scratch = try Scratch()
        let replica = try Replica(path: scratch.path, scope: .allProjects, schema: Self.app["collections"]?.text)
        _ = try replica.adopt(AllProjectsScene.schema)
        let first = AllProjectsScene.page([AllProjectsScene.project("p1")], at: 10, heads: ["p1": 5])
        _ = try replica.take(first, schema: AllProjectsScene.schema)
        try replica.insert(["name": "mine", "points": 3, "project_id": "p1"], into: "tasks", id: "t")
        let page = AllProjectsScene.page([], [AllProjectsScene.task("t", "p2", "theirs")], at: 20, heads: ["p2": 7])
        _ = try replica.take(page, schema: AllProjectsScene.schema)
        #expect(try aside(replica) == [["t", "id_unavailable", "3"]])
        #expect(try replica.row("t")?["name"] == "theirs" && replica.row("t")?["points"] == 0)
    }

    /// Rows of a collection that only the app takes for one of uploads wait until the server does, too.
    @Test func editsOfACollectionAreRefusedOnlyIfBothSchemasTakeNone() async throws {
        let scene = try await PushScene(Fixture.wideJSON(uploads: ["tasks"]), app: Fixture.wideJSON(version: "app"))
        try scene.replica.insert(["name": "late"], into: "sprints", id: "s")
        _ = try await scene.syncer().sync()
        #expect(try scene.replica.refused().map(\.code) == ["collection_not_uploadable"])
        scene.server.change { $0.schema = Fixture.wideJSON(version: "w2") }
        _ = try await scene.syncer().sync()
        #expect(try scene.replica.refused().isEmpty && scene.value("s", in: "sprints") == "late")
        let other = try await PushScene(
            Fixture.wideJSON(uploads: ["tasks"]), app: Fixture.wideJSON(version: "app", uploads: []))
        #expect(throws: EditError.notUploadable("sprints")) {
            try other.replica.insert(["name": "none"], into: "sprints", id: "s")
        }
    }

    /// Another process may send what the app has edited, and knows nothing of the app's schema.
    @Test func aProcessWithoutTheSchemaSetsAsideWhatItCantSend() async throws {
        let scene = try await PushScene(app: Self.app)
        try edit(scene.replica)
        let other = try Replica(existing: scene.replica.path)
        _ = try await Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: scene.server, replica: other,
            options: SyncOptions(), environment: scene.clock.environment()
        ).sync()
        #expect(try other.setAside().map(\.id).sorted() == ["a", "b", "t", "w"])
        #expect(try other.setAside().first { $0.id == "a" }?.row["points"] == 5 && other.unsentCount() == 0)
    }

    /// The server gets the field at last, with another type than the app had.
    @Test func aFieldOfAnotherTypeTakesThePlaceOfTheApps() async throws {
        let scene = try await PushScene(app: Self.app)
        try edit(scene.replica)
        scene.server.change {
            $0.schema = Self.schema("v2", points: ["type": "string", "default": ""])
            $0.put("tasks", "c", ["name": "c", "points": "many"])
        }
        _ = try await scene.syncer().sync()
        #expect(try aside(scene.replica).map { $0.dropLast() } == ["a", "b", "t"].map { [$0, "unknown_field"] })
        #expect(try scene.replica.row("c")?["points"] == "many" && scene.replica.row("b")?["name"] == "B")
        try scene.expectEqual()
    }

    @Test func anAppWhoseFieldHasAnotherTypeNowOpensTheReplica() async throws {
        let scene = try await PushScene(app: Self.app)
        try edit(scene.replica)
        let replica = try scene.scratch.replica(app: Self.schema("app", points: ["type": "array", "default": []]))
        #expect(try replica.setAside().map(\.id).sorted() == ["a", "b", "t"])
        #expect(try replica.setAside().first { $0.id == "b" }?.row["points"] == 7)
        try replica.update("a", in: "tasks", with: ["points": [1]])
        #expect(try replica.row("a")?["points"] == [1] && replica.row("b")?["name"] == "B")
    }
}
