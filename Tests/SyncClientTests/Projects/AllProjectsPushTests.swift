import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Edits in a replica of all projects, and their batches.
@Suite struct AllProjectsPushTests {
    private typealias Scene = AllProjectsScene
    private let scene: AllProjectsScene
    private var replica: Replica { scene.replica }

    init() throws { scene = try AllProjectsScene.pulled() }

    // MARK: Edits

    @Test func aNewRowNamesAProjectThatThereIs() throws {
        #expect(throws: EditError.missingProject(collection: "tasks")) {
            try replica.insert(["name": "x"], into: "tasks", id: "n")
        }
        #expect(throws: EditError.unknownProject("p9")) {
            try replica.insert(["name": "x", "project_id": "p9"], into: "tasks", id: "n")
        }
        try replica.insert(["name": "x", "project_id": "p1"], into: "tasks", id: "n")
        #expect(try replica.row("n")?["project_id"] == "p1")
        #expect(throws: EditError.fixedProject(collection: "tasks")) {
            try replica.update("n", in: "tasks", with: ["project_id": "p2"])
        }
        try replica.update("n", in: "tasks", with: ["project_id": "p1", "name": "y"])
    }

    @Test func aNewProjectIsItsOwn() throws {
        try replica.insert(["name": "New"], into: "projects", id: "p3")
        #expect(try replica.row("p3", in: "projects")?["project_id"] == "p3")
        try replica.insert(["name": "x", "project_id": "p3"], into: "tasks", id: "n")
        #expect(throws: EditError.fixedProject(collection: "projects")) {
            try replica.insert(["name": "New", "project_id": "p1"], into: "projects", id: "p4")
        }
    }

    @Test func aNewProjectThatIsDeletedUnsentTakesItsRowsAlong() throws {
        try replica.insert(["name": "New"], into: "projects", id: "p3")
        try replica.insert(["name": "x", "project_id": "p3"], into: "tasks", id: "n")
        try replica.delete("p3", from: "projects")
        #expect(try replica.row("n") == nil && replica.row("p3", in: "projects") == nil)
        #expect(try replica.unsentCount() == 0)
    }

    @Test func onlyTheUploadOfAllProjectsTakesProjects() throws {
        #expect(Scene.schema["projects"]?.isUploadable == true)
        #expect(try ServerSchema(Scene.schemaJSON)["projects"]?.isUploadable == false)
    }

    // MARK: Order

    private func batches(of size: Int) throws -> [[String]] {
        var batches: [[String]] = []
        while case .batch(let batch) = try replica.nextBatch(
            BatchLimits(rows: size, bytes: 99_999), at: .test, newID: { "b\(batches.count)" })
        {
            batches.append(batch.rows.map(\.id))
            for row in batch.rows {
                try replica.edit("UPDATE \(row.collection) SET _status = 'synced' WHERE id = '\(row.id)'")
            }
            try replica.drop(batch)
        }
        return batches
    }

    @Test(arguments: 1...4) func aNewProjectComesBeforeItsRowsAndTogetherWithItsCalendar(size: Int) throws {
        try replica.insert(["name": "New"], into: "projects", id: "p3")
        try replica.insert(["name": "z", "project_id": "p3"], into: "tasks", id: "a-child")
        try replica.insert(["name": "C", "project_id": "p3"], into: "calendars", id: "cal")
        try replica.update("p3", in: "projects", with: ["calendar": "cal"])
        try replica.insert(["name": "x", "project_id": "p1"], into: "tasks", id: "n1")
        let batches = try batches(of: size)
        let (project, child) = ("p3", "a-child")
        let place = { (id: String) in batches.firstIndex { $0.contains(id) } }
        #expect(place(project) == place("cal"))
        #expect(try #require(place(project)) <= #require(place(child)))
        #expect(batches.flatMap { $0 }.firstIndex(of: project)! < batches.flatMap { $0 }.firstIndex(of: child)!)
        #expect(Set(batches.flatMap { $0 }) == ["p3", "cal", "a-child", "n1"])
    }

    @Test func aServerThatTakesNoGroupHoldsItUpNotForEver() throws {
        try replica.insert(["name": "C", "project_id": "p1"], into: "calendars", id: "cal")
        try replica.insert(["name": "New", "calendar": "cal"], into: "projects", id: "p3")
        var loop = PushLoop(options: SyncOptions(), scope: .allProjects, seed: 1)
        _ = loop.start()
        for _ in 0..<9 {
            _ = loop.handle(.prepared(.batch(try scene.batch(rows: 1))), at: .zero)
            switch loop.handle(.answered(.problem(400, .batchTooLarge)), at: .zero) {
            case .drop(let batch): try replica.drop(batch)
            case .hold: return
            default: Issue.record("it does something else")
            }
        }
        Issue.record("it never ends")
    }

    @Test func everyRowOfABatchNamesItsProject() throws {
        try replica.insert(["name": "x", "project_id": "p2"], into: "tasks", id: "n")
        try replica.update("a1", in: "tasks", with: ["name": "mine"])
        let body = try JSON(parsing: scene.batch().body)
        #expect(body["changes"]?["tasks"]?["created"]?.array?.first?["project_id"] == "p2")
        let edit = try #require(body["changes"]?["tasks"]?["updated"]?.array?.first)
        #expect(edit["project_id"] == "p1" && edit["_changed"] == "name" && edit["duration"] == nil)
    }

    // MARK: Settling

    private func send() throws -> UploadBatch {
        try replica.update("a1", in: "tasks", with: ["name": "mine"])
        try replica.update("a2", in: "tasks", with: ["name": "mine"])
        return try scene.batch()
    }

    private func digests(_ versions: [(String, Int64)]) -> JSON {
        var digest = CollectionDigest.empty
        for (id, version) in versions { digest.insert(id, ServerVersion(version)) }
        return ["tasks": digest.json]
    }

    @Test func aBatchIsSettledWhenTheHeadsReachEachProject() throws {
        try scene.settle(try send(), Scene.applied(["a1": 2, "a2": 2], ["p1": 6, "p2": 8]))
        #expect(try replica.unsentCount() == 0 && scene.count("_batch") == 1)
        try scene.take(
            Scene.page(
                [], [Scene.task("a1", "p1", "mine", version: 2)], at: 20, heads: ["p1": 6, "p2": 8],
                digest: ["p1": digests([("a1", 2), ("b1", 1)]), "p2": nil]))
        // p2 was written to since, so there was nothing to compare.
        #expect(try scene.count("_batch") == 1 && scene.count("_batch_project") == 1)
        try scene.take(
            Scene.page(at: 30, heads: ["p2": 9], digest: ["p2": digests([("a2", 2), ("b2", 1)])]))
        #expect(try scene.count("_batch") == 0)
    }

    @Test func aProjectThatWasReachedBeforeIsReached() throws {
        try scene.take(Scene.page(at: 20, heads: ["p1": 6]))
        try scene.settle(try send(), Scene.applied(["a1": 2, "a2": 2], ["p1": 6, "p2": 7]))
        #expect(try scene.count("_batch") == 0)
    }

    /// The drain was requested before the answer came.
    @Test func anOlderDrainNeitherSettlesNorComparesABatch() throws {
        let known = try replica.state()
        try scene.settle(try send(), Scene.applied(["a1": 2, "a2": 2], ["p1": 6, "p2": 8]))
        let wrong: JSON = ["p1": digests([("a1", 1), ("b1", 1)]), "p2": digests([("a2", 2), ("b2", 1)])]
        let page = try Fixture.read(Scene.page(at: 20, heads: ["p1": 5, "p2": 8], digest: wrong), schema: Scene.schema)
        let receipt = try #require(try replica.apply(page, of: Scene.schema, after: known, at: .test))
        #expect(receipt.differing == [] && receipt.state.since > .zero)
        #expect(try scene.count("_batch") == 1 && replica.row("a1")?["name"] == "mine")
    }

    @Test func aDrainThatEndsBelowAnEarlierAnswerIsOfAnotherHistory() throws {
        try scene.settle(try send(), Scene.applied(["a1": 2, "a2": 2], ["p1": 6, "p2": 8]))
        let receipt = try scene.take(Scene.page(at: 20, heads: ["p1": 6]))
        #expect(receipt.state.since == .zero)
        // The drain from 0 finds that a2 was lost.
        let rows = [Scene.task("a1", "p1", "mine", version: 2), Scene.task("a2", "p2")]
        try scene.take(
            Scene.page([Scene.project("p1"), Scene.project("p2")], rows, at: 30, heads: ["p1": 6, "p2": 7]))
        #expect(try replica.row("a2")?["_changed"] == "name" && replica.row("a2")?["name"] == "mine")
        #expect(try replica.row("a1")?["_status"] == "synced" && scene.count("_batch") == 0)
    }

    @Test func aLostProjectHoldsNoBatchUp() throws {
        try scene.settle(try send(), Scene.applied(["a1": 2, "a2": 2], ["p1": 6, "p2": 8]))
        let receipt = try scene.take(
            Scene.page(
                [], [Scene.task("a1", "p1", "mine", version: 2)], at: 20, left: ["p2": "membership_revoked"],
                heads: ["p1": 6], digest: ["p1": digests([("a1", 2), ("b1", 1)])]))
        #expect(receipt.state.since > .zero && receipt.left.map(\.setAside) == [0])
        #expect(try scene.count("_batch") == 0)
    }

    @Test func aProjectThatWasDeletedHereIsNoEditThatWasLost() throws {
        try replica.delete("p2", from: "projects")
        let batch = try scene.batch()
        let deleted: JSON = ["projects": ["created": [], "updated": [], "deleted": ["p2"]]]
        try scene.settle(batch, ["timestamps": ["p2": 8], "applied": deleted])
        let receipt = try scene.take(Scene.page(at: 20, left: ["p2": "project_deleted"], heads: [:]))
        #expect(receipt.left.map(\.setAside) == [0] && receipt.state.since > .zero)
        #expect(try scene.tasks() == ["a1", "b1"] && replica.setAside().isEmpty && scene.count("_batch") == 0)
    }

    /// The batch was applied, its answer was lost, and so was p2. Then the answer comes.
    @Test func anAnswerAboutALostProjectVoidsNothing() throws {
        let batch = try send()
        try scene.take(Scene.page(at: 20, left: ["p2": "membership_revoked"], heads: ["p1": 6]))
        #expect(try replica.setAside().map(\.id) == ["a2"])
        try scene.settle(batch, Scene.applied(["a1": 2, "a2": 2], ["p1": 6, "p2": 8]))
        #expect(try scene.count("_batch") == 0)
        #expect(try scene.take(Scene.page(at: 30, heads: [:])).state.since > .zero)
    }

    /// The batch was applied and its answer lost. Then somebody deleted the row, and the tombstone was purged.
    @Test(arguments: [false, true]) func aNewRowThatIsGoneWhenItsAnswerComesIsGoneHereToo(isEdited: Bool) throws {
        try replica.insert(["name": "new", "project_id": "p2"], into: "tasks", id: "n2")
        let batch = try scene.batch()
        if isEdited { try replica.update("n2", in: "tasks", with: ["name": "later"]) }
        try scene.take(Scene.page([Scene.project("p2")], [], at: 20, replaced: ["p2"], heads: ["p2": 12]))
        #expect(try scene.tasks() == ["a1", "b1", "n2"])
        let answer: [String: JSON] = [
            "timestamps": ["p2": 8],
            "applied": ["tasks": ["created": [["id": "n2", "server_version": 1]], "updated": [], "deleted": []]],
        ]
        let receipts = try scene.settle(batch, answer)
        #expect(receipts == Replica.Receipts(applied: isEdited ? 0 : 1, setAside: isEdited ? 1 : 0, refused: 0))
        #expect(try scene.tasks() == ["a1", "b1"] && scene.count("_batch") == 0)
        #expect(try replica.setAside().map { $0.row["name"] } == (isEdited ? ["later"] : []))
    }

    // MARK: Refusals because of the project

    @Test(arguments: ["project_archived", "membership_revoked", "project_deleted", "not_a_member", "not_found"])
    func rowsOfAProjectThatTakesNothingStayUnsent(code: String) throws {
        try replica.update("a2", in: "tasks", with: ["name": "mine"])
        try replica.delete("b2", from: "tasks")
        try replica.insert(["name": "new", "project_id": "p2"], into: "tasks", id: "n2")
        let ids: JSON = ["a2", "b2", "n2"]
        let entries = (ids.array ?? []).map {
            JSON.object(["id": $0, "field": nil, "code": .string(code), "detail": "No."])
        }
        let receipts = try scene.settle(
            try scene.batch(),
            ["timestamps": [:], "rejected": ["tasks": .array(entries)], "rejected_ids": ["tasks": ids]])
        #expect(receipts == Replica.Receipts(applied: 0, setAside: 0, refused: 3))
        #expect(try replica.unsentCount() == 3 && replica.row("a2")?["name"] == "mine")
        #expect(try Set(replica.refused().map(\.id)) == ["a2", "b2", "n2"])
        #expect(try scene.count("_batch") == 0 && !replica.hasSomethingToSend())
        // Later it is lost.
        let page = Scene.page(at: 20, left: ["p2": "membership_revoked"], heads: [:])
        #expect(try scene.take(page).left.map(\.setAside) == [3])
        #expect(try replica.refused().isEmpty && replica.setAside().count == 3)
    }

    /// A drain from 0 does not say what was lost, so the answer to the upload does.
    @Test(arguments: ["membership_revoked", "project_deleted"])
    func rowsOfAProjectThatWasLostBeforeAResyncAreSetAsideByTheAnswer(code: String) throws {
        try replica.insert(["name": "new", "project_id": "p2"], into: "tasks", id: "n2")
        try replica.reset(resync: true)
        try scene.take(Scene.page([Scene.project("p1")], [], at: 30, heads: ["p1": 6]))
        #expect(try scene.tasks() == ["n2"])
        let entry: JSON = ["id": "n2", "field": nil, "code": .string(code), "detail": "Gone."]
        let receipts = try scene.settle(
            try scene.batch(),
            ["timestamps": [:], "rejected": ["tasks": [entry]], "rejected_ids": ["tasks": ["n2"]]])
        #expect(receipts == Replica.Receipts(applied: 0, setAside: 1, refused: 0))
        #expect(try replica.setAside().map(\.reason) == [code] && scene.tasks() == [])
    }
}
