import SyncEngine
import SyncProtocol
import SyncStores
import SyncTestKit
import Testing

/// A filter of projects, in a pull of all of them.
@Suite struct FilterProjectsTests {
    private static let open = #"{"projects":[{"is_archived":false}]}"#

    /// A member of the projects `p1` and `p2`, of which `p2` is archived, and that project.
    private func scene() async throws -> (Client, Scene, Workbench<EngineStore>) {
        let (scene, other, _) = try await Scene.ofSeveralProjects()
        try await archive(true, other)
        return (try await scene.client(.member).ofAllProjects, scene, other)
    }

    private func archive(_ isArchived: Bool, _ project: Workbench<EngineStore>) async throws {
        _ = try await project.items.archive(isArchived, project: project.project, by: project.caller(.owner))
    }

    private func ids(_ page: Answer, _ collection: String, _ list: String = "updated") -> Set<String> {
        let entries = page.at("/changes/\(collection)/\(list)")?.array ?? []
        return Set(entries.compactMap { $0.string ?? $0["id"]?.string })
    }

    private func heads(_ page: Answer) -> Set<String> { Set(page.at("/heads")?.object?.keys.map { $0 } ?? []) }

    private func since(_ page: Answer) throws -> Int64 { try #require(page.at("/timestamp")?.int) }

    @Test func fromZeroTheProjectsOfTheFilterCome() async throws {
        let (all, _, _) = try await scene()
        for filter in [Self.open, #"{"projects":["p1","unknown"]}"#] {
            let page = try await all.page(Client.part(filter))
            #expect(ids(page, "projects") == ["p1"] && ids(page, "tasks") == ["t1"], "\(filter)")
            #expect(page.at("/left_projects") == [] && page.at("/filtered") == true)
            #expect(heads(page) == ["p1", "p2"], "batches of p2 are settled by its head")
        }
        #expect(ids(try await all.page(Client.part(#"{"projects":[]}"#)), "projects").isEmpty)
        #expect(ids(try await all.page(Client.part(#"{"projects":[{}]}"#)), "projects") == ["p1", "p2"])
    }

    @Test func aProjectThatComesInIsServedWhole() async throws {
        let (all, _, other) = try await scene()
        let first = try await all.page(Client.part(Self.open))
        try await archive(false, other)
        let page = try await all.page(Client.part(Self.open, was: "same", since: since(first)))
        #expect(ids(page, "projects") == ["p2"] && ids(page, "tasks") == ["t2"])
        #expect(heads(page) == ["p2"] && page.at("/left_projects") == [])
    }

    @Test func aProjectThatGoesOutIsNamed() async throws {
        let (all, _, other) = try await scene()
        try await archive(false, other)
        let first = try await all.page(Client.part(Self.open))
        #expect(ids(first, "projects") == ["p1", "p2"])
        try await archive(true, other)
        let page = try await all.page(Client.part(Self.open, was: "same", since: since(first)))
        #expect(page.at("/left_projects") == [["project_id": "p2", "code": "filtered"]])
        #expect(ids(page, "projects").isEmpty && ids(page, "projects", "left").isEmpty)
        #expect(heads(page) == ["p2"])
        let lists = Client.part(Self.open, was: "same", since: try since(first)).merging(
            ["encoding": "watermelondb", "left": "deleted"]) { $1 }
        let stock = try await all.page(lists)
        #expect(ids(stock, "projects", "deleted") == ["p2"] && ids(stock, "tasks", "deleted") == ["t2"])
    }

    /// Later drains tell nothing of the project.
    @Test func rowsThatMoveWhileTheirProjectIsDroppedAreNamed() async throws {
        let (all, scene, other) = try await scene()
        try await archive(false, other)
        let first = try await all.page(Client.part(Self.open))
        try await archive(true, other)
        var parameters = Client.part(Self.open, was: "same", since: try since(first))
        parameters.merge(["encoding": "watermelondb", "page_size": "1"]) { $1 }
        var left: Set<String> = []
        repeat {
            let page = try await all.page(parameters)
            for collection in ["projects", "tasks"] { left.formUnion(ids(page, collection, "left")) }
            try await other.edit { try $0.update("tasks", "t2", ["assignee": scene.userID(.member)]) }
            parameters["cursor"] = page.at("/next_cursor")?.string
        } while parameters["cursor"] != nil
        #expect(left == ["p2", "t2"])
    }

    @Test func anotherFilterBringsAndTakesProjects() async throws {
        let (all, _, _) = try await scene()
        let first = try await all.page(Client.part(#"{"projects":["p1"]}"#))
        let roll = Client.part(#"{"projects":["p2"]}"#, was: #"{"projects":["p1"]}"#, since: try since(first))
        let page = try await all.page(roll)
        #expect(ids(page, "projects") == ["p2"] && ids(page, "tasks") == ["t2"])
        #expect(page.at("/left_projects") == [["project_id": "p1", "code": "filtered"]])
        #expect(heads(page) == ["p2"], "nothing was committed to p1")
        let whole = try await all.page(Client.part(nil, was: #"{"projects":["p2"]}"#, since: try since(first)))
        #expect(ids(whole, "projects") == ["p1"] && whole.at("/left_projects") == [])
    }

    @Test func whatIsCommittedOutsideIsInHeadsAlone() async throws {
        let (all, _, other) = try await scene()
        let filter = #"{"projects":["p1"]}"#
        try await archive(false, other)
        let first = try await all.page(Client.part(filter))
        try await other.edit { try $0.update("tasks", "t2", ["name": "Changed"]) }
        let page = try await all.page(Client.part(filter, was: "same", since: since(first)))
        #expect(heads(page) == ["p2"] && ids(page, "tasks").isEmpty && page.at("/left_projects") == [])
        #expect(page.at("/digest") == [:])
    }

    /// The device that has made the row holds it, and no other drain would take it back.
    @Test(arguments: ["task", "deleted task"])
    func aProjectOutsideWithANewRowOfTheCallerIsNamedOnce(_ made: String) async throws {
        let (all, _, other) = try await scene()
        try await archive(false, other)
        let filter = #"{"projects":["p1"]}"#
        let first = try await all.page(Client.part(filter))
        try await other.edit(as: .member) { try $0.insert("tasks", "own", ["name": "Roof"]) }
        if made == "deleted task" { try await other.edit { try $0.delete("tasks", "own") } }
        let same = Client.part(filter, was: "same", since: try since(first))
        let page = try await all.page(same)
        #expect(page.at("/left_projects") == [["project_id": "p2", "code": "filtered"]])
        #expect(ids(page, "tasks", "left").isEmpty && heads(page) == ["p2"])
        let lists = try await all.page(same.merging(["encoding": "watermelondb"]) { $1 })
        #expect(ids(lists, "tasks", made == "task" ? "left" : "deleted") == ["own"], "and no others")
        try await other.edit { try $0.update("tasks", "t2", ["name": "Changed"]) }
        let next = try await all.page(Client.part(filter, was: "same", since: since(page)))
        #expect(next.at("/left_projects") == [] && heads(next) == ["p2"])
    }

    /// Of many new rows not all are looked at. To name the project does no harm.
    @Test func aProjectOutsideWithManyNewRowsIsNamed() async throws {
        let (all, _, other) = try await scene()
        try await archive(false, other)
        let filter = #"{"projects":["p1"]}"#
        let first = try await all.page(Client.part(filter))
        try await other.edit { editor in
            for number in 0...200 { try editor.insert("tasks", "n\(number)", ["name": "Roof"]) }
        }
        let same = Client.part(filter, was: "same", since: try since(first))
        #expect(try await all.page(same).at("/left_projects") == [["project_id": "p2", "code": "filtered"]])
        let lists = try await all.page(same.merging(["encoding": "watermelondb"]) { $1 })
        #expect(ids(lists, "tasks", "left").isEmpty && lists.at("/has_more") == false)
    }

    @Test(arguments: ["/sync/digest/", "/projects/p1/sync/digest/"])
    func digestsAreThoseOfThePart(path: String) async throws {
        let (all, scene, _) = try await scene()
        try await scene.bench.edit { try $0.update("tasks", "t1", ["assignee": scene.userID(.member)]) }
        func counted(_ filter: String) async throws -> JSON? {
            let answer = try await all.send("GET", "/api/v1\(path)" + Client.query(["filter": filter]))
            #expect(answer.status == 200, "\(answer.text)")
            let digest = answer.at("/digest/p1/tasks") ?? answer.at("/digest/tasks")
            return digest?["count"]
        }
        #expect(try await counted(Scene.mine) == 1)
        #expect(try await counted(#"{"tasks":[]}"#) == 0)
        #expect(try await counted(#"{"tasks":[{"assignee":null}]}"#) == 0)
        #expect(try await all.send("GET", "/api/v1\(path)?filter=x").code == "invalid_filter")
    }
}
