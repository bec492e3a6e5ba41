import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// The rules for clients that store the pages of a drain of all projects one by one.
@Suite struct AllProjectsDrainTests {
    private typealias Scene = AllProjectsScene
    private let scene: AllProjectsScene
    private var replica: Replica { scene.replica }

    init() throws { scene = try AllProjectsScene.pulled() }

    // MARK: Lost projects

    @Test func theRowsOfALostProjectGoAtTheEndOfTheDrain() throws {
        let left = ["p2": "membership_revoked"]
        try scene.take(Scene.page([], [Scene.task("c1", "p1")], deleted: ["a2"], at: 20, left: left))
        #expect(try scene.tasks() == ["a1", "a2", "b1", "b2", "c1"])
        let receipt = try scene.take(Scene.page(deleted: ["b2"], at: 20, heads: ["p1": 6]))
        #expect(try scene.tasks() == ["a1", "b1", "c1"])
        #expect(try replica.ids(of: "projects") == ["p1"])
        #expect(receipt.left == [LeftProject(id: "p2", name: "Np2", reason: .membershipRevoked, setAside: 0)])
    }

    @Test(arguments: ["membership_revoked", "project_deleted"])
    func unsentEditsInALostProjectAreSetAside(code: String) throws {
        try replica.update("a2", in: "tasks", with: ["name": "mine"])
        try replica.delete("b2", from: "tasks")
        try replica.insert(["name": "new", "project_id": "p2"], into: "tasks", id: "n2")
        try replica.insert(["name": "stays", "project_id": "p1"], into: "tasks", id: "n1")
        let page = Scene.page(deleted: ["a2", "b2"], at: 20, left: ["p2": code], heads: [:])
        #expect(try scene.take(page).left.map(\.setAside) == [3])
        #expect(try scene.tasks() == ["a1", "b1", "n1"])
        let aside = try replica.setAside()
        #expect(Set(aside.map(\.id)) == ["a2", "b2", "n2"] && aside.allSatisfy { $0.reason == code })
        #expect(aside.first { $0.id == "a2" }?.row["name"] == "mine")
    }

    /// The process ends after page 1, and page 2 finds the cursor void. By then the user is a member again.
    @Test func aDrainThatBeginsAgainFindsTheRowsOfALostProjectUntouched() throws {
        try scene.take(Scene.page([], [], deleted: ["a2", "b2"], at: 20, left: ["p2": "membership_revoked"]))
        let reopened = try Replica(path: scene.scratch.path, scope: .allProjects)
        try reopened.reset(resync: false)
        try scene.take(Scene.page([], [Scene.task("b2", "p2", "B", version: 2)], at: 30, heads: ["p2": 9]))
        #expect(try scene.tasks() == ["a1", "a2", "b1", "b2"])
    }

    @Test func whatPage1SaidOfALostProjectOutlivesTheProcess() throws {
        try scene.take(Scene.page(at: 20, left: ["p2": "project_deleted"]))
        let reopened = try Replica(path: scene.scratch.path, scope: .allProjects)
        let receipt = try reopened.take(Scene.page(at: 20, heads: [:]), schema: Scene.schema)
        #expect(receipt?.left.map(\.reason) == [.projectDeleted])
        #expect(try scene.tasks() == ["a1", "b1"])
        #expect(try scene.count("_project") == 1)
    }

    /// Servers up to version 1.0 name it though the user has it again.
    @Test func aProjectThatTheDrainBringsBackIsNotLost() throws {
        try replica.update("a2", in: "tasks", with: ["name": "mine"])
        try replica.insert(["name": "new", "project_id": "p2"], into: "tasks", id: "n2")
        try scene.take(Scene.page(at: 20, left: ["p2": "membership_revoked"]))
        let rows = ["a2", "c2"].map { Scene.task($0, "p2") }
        let receipt = try scene.take(Scene.page([Scene.project("p2")], rows, at: 20, heads: ["p2": 9]))
        #expect(receipt.left == [] && receipt.dropped == 1)
        #expect(try scene.tasks() == ["a1", "a2", "b1", "c2", "n2"])
        #expect(try replica.setAside() == [])
    }

    // MARK: New projects

    @Test func whatABrokenDrainStoredOfANewProjectGoesWhenItBeginsAgain() throws {
        let page = Scene.page(
            [Scene.project("p3")], [Scene.task("a3", "p3"), Scene.task("b3", "p3"), Scene.task("c1", "p1")], at: 20)
        try scene.take(page)
        try replica.update("b3", in: "tasks", with: ["name": "mine"])
        try Replica(path: scene.scratch.path, scope: .allProjects).reset(resync: false)
        // p1 was there before, so what came of it is a part of what comes again. An unsent edit stays.
        #expect(try scene.tasks() == ["a1", "a2", "b1", "b2", "b3", "c1"])
        #expect(try replica.ids(of: "projects") == ["p1", "p2"])
    }

    @Test func aNewSchemaAlsoBeginsTheDrainAgain() throws {
        try scene.take(Scene.page([Scene.project("p3")], [Scene.task("a3", "p3")], at: 20))
        var json = Scene.schemaJSON.object ?? [:]
        json["schema_version"] = "all2"
        let state = try replica.adopt(ServerSchema(.object(json), allProjects: true))
        #expect(state.drain == nil && state.since > .zero)
        #expect(try replica.ids(of: "projects") == ["p1", "p2"])
    }

    @Test func aProjectThatADrainHasEndedWithIsKept() throws {
        try scene.take(Scene.page([Scene.project("p3")], [Scene.task("a3", "p3")], at: 20, heads: ["p3": 2]))
        try scene.take(Scene.page([], [Scene.task("a3", "p3", "A", version: 2)], at: 30))
        try replica.reset(resync: false)
        #expect(try scene.tasks().contains("a3"))
    }

    // MARK: Replaced projects

    @Test func aReplacedProjectLosesWhatTheDrainDidNotName() throws {
        try replica.update("b2", in: "tasks", with: ["name": "mine"])
        try scene.take(Scene.page([Scene.project("p2")], [], at: 20, replaced: ["p2"]))
        let reopened = try Replica(path: scene.scratch.path, scope: .allProjects)
        let page = Scene.page([], [Scene.task("c2", "p2")], at: 20, heads: ["p2": 99])
        #expect(try reopened.take(page, schema: Scene.schema)?.dropped == 2)
        #expect(try scene.tasks() == ["a1", "b1", "c2"])
        #expect(try replica.setAside().map(\.id) == ["b2"])
    }

    /// The id was purged in p2, and is used in p1 now.
    @Test func whichProjectARowBelongsToIsWhatItsProjectSaysNow() throws {
        try scene.take(Scene.page([], [Scene.task("a2", "p1", "other")], at: 20))
        try scene.take(Scene.page([Scene.project("p2")], [], at: 20, replaced: ["p2"], heads: ["p1": 6, "p2": 99]))
        #expect(try scene.tasks() == ["a1", "a2", "b1"])
    }

    @Test func aRowOfAnotherProjectIsAnotherRowWhateverItsVersion() throws {
        try scene.take(Scene.page([], [Scene.task("a2", "p2", "nine", version: 9)], at: 20, heads: ["p2": 8]))
        try replica.update("b2", in: "tasks", with: ["name": "mine"])
        let rows = [Scene.task("a2", "p1", "first"), Scene.task("b2", "p1", "first", version: 4)]
        try scene.take(Scene.page([], rows, at: 30, heads: ["p1": 6]))
        for id in ["a2", "b2"] {
            let row = try #require(try replica.row(id))
            #expect(row["name"] == "first" && row["project_id"] == "p1" && row["_status"] == "synced")
        }
        #expect(try replica.setAside().map(\.reason) == ["deleted"])
    }

    @Test func versionsOfAReplacedProjectCountEvenIfTheyAreLower() throws {
        try scene.take(Scene.page([], [Scene.task("a2", "p2", "nine", version: 9)], at: 20, heads: ["p2": 8]))
        let page = Scene.page(
            [Scene.project("p2")], [Scene.task("a2", "p2", "again")], at: 30, replaced: ["p2"], heads: ["p2": 99])
        try scene.take(page)
        #expect(try replica.row("a2")?["name"] == "again")
    }

    // MARK: Kept pages

    @Test func aLostProjectIsShownUntilTheDrainCounts() throws {
        try replica.update("a2", in: "tasks", with: ["name": "mine"])
        let left = ["p2": "membership_revoked"]
        try scene.receive(Scene.page([], [Scene.task("c1", "p1")], deleted: ["b2"], at: 20, left: left))
        let reopened = try Replica(path: scene.scratch.path, scope: .allProjects)
        #expect(try scene.tasks() == ["a1", "a2", "b1", "b2"])
        #expect(try reopened.state().settled?.rawValue == Scene.number(10) && reopened.state().hasKept)
        let receipt = try scene.receive(Scene.page(deleted: ["a2"], at: 20, heads: ["p1": 6]), head: 20)
        #expect(try scene.tasks() == ["a1", "b1", "c1"] && replica.ids(of: "projects") == ["p1"])
        #expect(receipt.left == [LeftProject(id: "p2", name: "Np2", reason: .membershipRevoked, setAside: 1)])
        #expect(try replica.state().settled?.rawValue == Scene.number(20))
        #expect(try scene.count("_project") == 1 && scene.count("_kept_page") == 0)
    }

    /// The first drain does not count. When the second one does, the project is already lost.
    @Test func aProjectThatCameAndWentBetweenTwoSettledStatesIsNeverShown() throws {
        try scene.receive(Scene.page([Scene.project("p3")], [Scene.task("a3", "p3")], at: 20))
        try scene.receive(Scene.page([], [Scene.task("b3", "p3")], at: 20, heads: ["p3": 2]), head: 21)
        #expect(try scene.tasks() == ["a1", "a2", "b1", "b2"])
        let lost = Scene.page([], [Scene.task("c1", "p1")], at: 30, left: ["p3": "project_deleted"], heads: ["p1": 6])
        let receipt = try scene.receive(lost, head: 30)
        #expect(try scene.tasks() == ["a1", "a2", "b1", "b2", "c1"])
        #expect(receipt.left.map(\.id) == ["p3"] && receipt.state.settled?.rawValue == Scene.number(30))
        #expect(try replica.ids(of: "projects") == ["p1", "p2"] && scene.count("_project") == 2)
    }

    @Test func aVoidCursorDropsKeptPagesAndLeavesTheRows() throws {
        try scene.receive(Scene.page([Scene.project("p3")], [Scene.task("a3", "p3")], at: 20))
        try replica.reset(resync: false)
        #expect(try scene.tasks() == ["a1", "a2", "b1", "b2"] && replica.ids(of: "projects") == ["p1", "p2"])
        #expect(try replica.state().settled?.rawValue == Scene.number(10) && !replica.state().hasKept)
    }

    // MARK: Digests

    @Test func digestsAreComparedProjectByProject() throws {
        let empty: JSON = ["count": 0, "digest": "0000000000000000"]
        let page = Scene.page(at: 20, heads: ["p1": 6, "p2": 8], digest: ["p1": nil, "p2": ["tasks": empty]])
        let receipt = try scene.take(page)
        #expect(receipt.differing == ["tasks"] && receipt.differingProjects == ["p2"])
        #expect(try replica.device().comparison == "differs")
        // The collection is read again, of this project alone.
        let again = Replacing(receipt.differing, in: receipt.differingProjects)
        let read = try Fixture.read(
            Scene.page([], [Scene.task("b2", "p2")], at: 20, heads: ["p2": 8]), schema: Scene.schema)
        _ = try replica.apply(read, of: Scene.schema, after: replica.state(), replacing: again, at: .test)
        #expect(try scene.tasks() == ["a1", "b1", "b2"] && replica.ids(of: "projects") == ["p1", "p2"])
    }

    @Test func aProjectsOwnDigestFits() throws {
        var digest = CollectionDigest.empty
        for id in ["a2", "b2"] { digest.insert(id, ServerVersion(1)) }
        let page = Scene.page(at: 20, heads: ["p2": 8], digest: ["p2": ["tasks": digest.json]])
        #expect(try scene.take(page).differing == [])
        #expect(try replica.device().comparison == "same")
        try scene.take(Scene.page(at: 20, heads: [:]))
        #expect(try replica.device().comparison == nil)
    }

    // MARK: What is no page

    private static let noPages: [JSON] = [
        ["left_projects": 7], ["left_projects": [["project_id": "p", "code": "x"]]], ["heads": []],
        ["heads": ["p": -1]], ["digest": ["p": 7]], ["replaced": [""]],
        ["changes": Fixture.tasks(updated: [["id": "x", "server_version": 1, "name": "x"]])],
    ]

    @Test(arguments: noPages) func aPageThatIsNoneIsAViolation(members: JSON) throws {
        let page = (Scene.page(at: 20, heads: [:]).object ?? [:]).merging(members.object ?? [:]) { $1 }
        #expect(throws: SyncError.self) { try Fixture.read(.object(page), schema: Scene.schema) }
    }

    @Test(arguments: [("left_projects", nil), ("heads", nil), ("left_projects", "c")] as [(String, String?)])
    func aDrainNeedsItsMembers(member: String, cursor: String?) throws {
        var page = Scene.page(at: 20, heads: cursor == nil ? [:] : nil).object ?? [:]
        page[member] = nil
        var loop = PullLoop(
            state: try replica.state(), schema: Scene.schema, options: SyncOptions(), seed: 1)
        _ = loop.start(at: .zero)
        _ = loop.handle(.answered(.json(Scene.schemaJSON)), at: .zero)
        let action = loop.handle(.answered(.json(.object(page))), at: .zero)
        #expect(action == .fail(.violation("`\(member)` is missing")))
    }

    /// Such an answer comes of a project's endpoint, not of this one.
    @Test func noAnswerWipesAReplicaOfAllProjects() throws {
        var loop = PullLoop(
            state: try replica.state(), schema: Scene.schema, options: SyncOptions(), seed: 1)
        _ = loop.start(at: .zero)
        guard case .fail = loop.handle(.answered(.problem(410, .projectDeleted)), at: .zero) else {
            Issue.record("it goes on")
            return
        }
        var push = PushLoop(options: SyncOptions(), scope: .allProjects, seed: 1)
        _ = push.start()
        try replica.update("a1", in: "tasks", with: ["name": "x"])
        _ = push.handle(.prepared(.batch(try scene.batch())), at: .zero)
        guard case .fail = push.handle(.answered(.problem(403, .membershipRevoked)), at: .zero) else {
            Issue.record("it goes on")
            return
        }
    }
}
