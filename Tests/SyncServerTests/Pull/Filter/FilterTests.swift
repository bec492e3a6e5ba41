import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Pulls of a part, and what moves in and out of it: `docs/protocol.md#a-part-of-a-project`.
@Suite struct FilterTests {
    private func filled() async throws -> (Scene, Client) {
        let scene = try await Scene()
        try await scene.fillParts()
        return (scene, try await scene.client(.member))
    }

    // MARK: From 0

    @Test(arguments: [1, 2, 1000], ["json", "watermelondb"])
    func fromZeroThePartComesAndWhatFollowsIt(pageSize: Int, encoding: String) async throws {
        let (_, member) = try await filled()
        let drain = try await member.filteredDrain(
            Scene.mine, pageSize: pageSize, parameters: ["encoding": encoding])
        #expect(drain.ids("tasks") == ["a1", "a2"])
        #expect(drain.ids("task_links") == ["la1"])
        #expect(drain.ids("dependencies") == ["d1"])
        #expect(drain.ids("sprints") == ["s1"] && drain.ids("risks") == ["r1"] && drain.ids("projects") == ["p1"])
        #expect(drain.deleted.isEmpty && drain.left.isEmpty)
    }

    /// Both see the same rows, so they share pages: of the same filter, but not of the same words.
    @Test func meIsWhoAsksAlsoForPagesFromTheCache() async throws {
        let (scene, member) = try await filled()
        try await scene.bench.edit { try $0.update("tasks", "b1", ["assignee": scene.userID(.admin)]) }
        let admin = try await scene.client(.admin)
        for _ in 0..<2 {
            #expect(try await member.filteredDrain(Scene.mine).ids("tasks") == ["a1", "a2"])
            #expect(try await admin.filteredDrain(Scene.mine).ids("tasks") == ["b1"])
        }
    }

    @Test func fromZeroThereIsNoListOfWhatLeft() async throws {
        let (_, member) = try await filled()
        let page = try await member.page(Client.part(Scene.mine))
        #expect(page.at("/changes/tasks")?.object?.keys.sorted() == ["created", "deleted", "updated"])
    }

    @Test func everyFormOfAConditionNarrows() async throws {
        let (scene, member) = try await filled()
        try await scene.bench.edit { try $0.update("tasks", "b2", ["planned_start": "2026-11-15", "sprint": "s1"]) }
        let narrowed: [(String, Set<String>)] = [
            (#"{"assignee":"@me","status":"ON_HOLD"}"#, ["a2"]), (#"{"assignee":null}"#, ["b1", "b2"]),
            (#"{"assignee":{"not":null}}"#, ["a1", "a2"]), (#"{"status":{"not":["ON_HOLD"]}}"#, ["a1", "b2"]),
            (#"{"planned_start":{"from":"2026-11-15","until":"2026-11-15"}}"#, ["b2"]),
            (#"{"planned_start":{"from":"2026-11-16"}}"#, []), (#"{"sprint":["s1","s2"]}"#, ["b2"]),
            (#"{"is_milestone":true},{"sprint":"s1"}"#, ["b2"]), ("{}", ["a1", "a2", "b1", "b2"]), ("", []),
        ]
        for (condition, ids) in narrowed {
            let drain = try await member.filteredDrain(#"{"tasks":[\#(condition)]}"#)
            #expect(drain.ids("tasks") == ids, "\(condition)")
        }
        #expect(try await member.filteredDrain(#"{"risks":[{"task_ids":{"has":["a1"]}}]}"#).ids("risks") == ["r1"])
        #expect(try await member.filteredDrain(#"{"risks":[{"task_ids":{"has":"b1"}}]}"#).ids("risks") == [])
    }

    @Test func aFilterWithNothingInItIsEverything() async throws {
        let (_, member) = try await filled()
        #expect(try await member.filteredDrain("{}").updated == member.drain().rows)
        #expect(try await member.page().at("/filtered") == nil)
    }

    // MARK: With the same filter

    @Test(arguments: [1, 2, 1000]) func whatLeavesByAnEditIsInLeft(pageSize: Int) async throws {
        let (scene, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        try await scene.bench.edit { try $0.update("tasks", "a1", ["assignee": nil]) }
        let drain = try await member.filteredDrain(Scene.mine, was: "same", since: since, pageSize: pageSize)
        #expect(drain.left == Scene.ofA1)
        #expect(drain.updated.isEmpty && drain.deleted.isEmpty)
    }

    @Test(arguments: [1, 2, 1000]) func whatFollowsComesThoughItsOwnNumberIsOld(pageSize: Int) async throws {
        let (scene, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        let user = scene.userID(.member)
        try await scene.bench.edit { try $0.update("tasks", "b1", ["assignee": user]) }
        let drain = try await member.filteredDrain(Scene.mine, was: "same", since: since, pageSize: pageSize)
        #expect(Set(drain.updated.keys) == Scene.ofB1)
        #expect(drain.left.isEmpty && drain.deleted.isEmpty)
    }

    @Test func aLinkComesAndLeavesByAnEditOfItsTask() async throws {
        let (scene, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        try await scene.bench.edit { editor in
            try editor.update("task_links", "la1", ["task": "b1"])
            try editor.update("task_links", "lb1", ["task": "a1"])
        }
        let drain = try await member.filteredDrain(Scene.mine, was: Scene.mine, since: since)
        #expect(Set(drain.updated.keys) == [RowKey("task_links", "lb1")])
        #expect(drain.left == [RowKey("task_links", "la1")])
    }

    @Test func anEditThatMovesNothingComesAlone() async throws {
        let (scene, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        try await scene.bench.edit { editor in
            for id in ["a1", "b1"] { try editor.update("tasks", id, ["notes": "edited"]) }
        }
        let drain = try await member.filteredDrain(Scene.mine, was: "same", since: since)
        #expect(Set(drain.updated.keys) == [RowKey("tasks", "a1")] && drain.left.isEmpty)
    }

    @Test func deletedRowsAreTheSameWithAndWithoutAFilter() async throws {
        let (scene, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        try await scene.bench.edit { editor in for id in ["a1", "b1"] { try editor.delete("tasks", id) } }
        let drain = try await member.filteredDrain(Scene.mine, was: "same", since: since)
        #expect(drain.deleted == (try await member.drain(since: since)).deleted)
        #expect(drain.deleted.isSuperset(of: Scene.ofA1.union(Scene.ofB1)))
        #expect(drain.left.isEmpty)
    }

    @Test func aPullOfAllProjectsHasAPartOfEach() async throws {
        let (scene, member) = try await filled()
        let own = try await member.filteredDrain(Scene.mine).ids("tasks")
        let all = member.ofAllProjects
        let first = try await all.page(Client.part(Scene.mine))
        let rows = first.at("/changes/tasks/updated")?.array ?? []
        #expect(Set(rows.compactMap { $0["id"]?.string }) == own && !own.isEmpty)
        #expect(first.at("/filtered") == true)
        let since = try #require(first.at("/timestamp")?.int)
        try await scene.bench.edit { try $0.update("tasks", "a1", ["assignee": nil]) }
        let next = try await all.page(Client.part(Scene.mine, was: "same", since: since))
        #expect(next.at("/changes/tasks/left") == ["a1"])
        let whole = try await all.page(Client.part(nil, was: Scene.mine, since: since))
        #expect((whole.at("/changes/tasks/updated")?.array ?? []).count > own.count)
    }

    /// A deleted sprint clears a field, a deleted task takes itself out of a list, and a membership that ends clears a
    /// user.
    @Test func whatLeavesByACascadeIsInLeft() async throws {
        let (scene, _) = try await filled()
        let owner = try await scene.client(.owner)
        let filters = [
            #"{"tasks":[{"sprint":"s1"}]}"#, #"{"risks":[{"task_ids":{"has":"a1"}}]}"#,
            #"{"tasks":[{"assignee":\#(scene.userID(.member).text)}]}"#,
        ]
        try await scene.bench.edit { try $0.update("tasks", "b2", ["sprint": "s1"]) }
        let since = try await owner.head()
        try await scene.bench.edit { try $0.delete("sprints", "s1") }
        #expect(try await owner.filteredDrain(filters[0], was: "same", since: since).left == Scene.ofB2)
        try await scene.removeMember(.member)
        // What the sprint has moved is named, too: the server does not know that it was never in this part.
        #expect(
            try await owner.filteredDrain(filters[2], was: "same", since: since).left
                .isSuperset(of: Scene.ofA1.union([RowKey("tasks", "a2")])))
        try await scene.bench.edit { try $0.delete("tasks", "a1") }
        #expect(try await owner.filteredDrain(filters[1], was: "same", since: since).left == [RowKey("risks", "r1")])
    }

    @Test func whatTheCallerUploadsOutsideIsAcceptedAndLeaves() async throws {
        let (scene, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        let answer = try await member.upload(
            created: [["id": "new", "name": "New"]], updated: [["id": "a2", "assignee": nil]])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/applied/tasks/created/0/id") == "new")
        try await scene.insertTasks(["theirs"])
        let drain = try await member.filteredDrain(Scene.mine, was: "same", since: since)
        #expect(drain.left == [RowKey("tasks", "new"), RowKey("tasks", "a2")])
        #expect(drain.updated.isEmpty)
        let next = try await member.filteredDrain(Scene.mine, was: "same", since: drain.timestamp)
        #expect(next.left.isEmpty)
    }

    @Test func aClientThatKnowsNoLeftGetsItInDeleted() async throws {
        let (scene, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        try await scene.bench.edit { try $0.update("tasks", "a1", ["assignee": nil]) }
        let drain = try await member.filteredDrain(
            Scene.mine, was: "same", since: since, parameters: ["left": "deleted"])
        #expect(drain.deleted == Scene.ofA1 && drain.left.isEmpty)
        let page = try await member.page(
            Client.part(Scene.mine, was: "same", since: since).merging(["left": "deleted"]) { $1 })
        #expect(page.at("/changes/tasks")?.object?.keys.sorted() == ["created", "deleted", "updated"])
    }

    @Test func anEmptyDeltaHasEmptyLists() async throws {
        let (_, member) = try await filled()
        let since = try await member.filteredDrain(Scene.mine).timestamp
        let parameters = Client.part(Scene.mine, was: "same", since: since)
        for _ in 0..<2 {
            let page = try await member.page(parameters)
            #expect(page.at("/filtered") == true && page.at("/has_more") == false && page.at("/digest") == .null)
            #expect(page.at("/timestamp") == .int(since) && page.at("/progress/rows") == 0)
            #expect(page.at("/changes/tasks") == ["created": [], "deleted": [], "left": [], "updated": []])
            #expect(try await member.page(parameters.merging(["stream": "true"]) { $1 }).body == page.body)
        }
    }

    /// Each drain is of one moment, and what happens between its pages comes with the next one.
    @Test(arguments: [1, 2, 3]) func whatMovesBetweenPagesEndsUpRight(pageSize: Int) async throws {
        let (scene, member) = try await filled()
        let user = scene.userID(.member)
        var copy = FilteredCopy(member)
        try await copy.pull(Scene.mine)
        try await scene.bench.edit { editor in
            try editor.update("tasks", "a1", ["assignee": nil])
            try editor.update("tasks", "b1", ["assignee": user])
            try editor.update("tasks", "b2", ["assignee": user])
        }
        try await copy.pull(Scene.mine, pageSize: pageSize) { page in
            let (mine, nobody): (JSON, JSON) = (user, nil)
            try await scene.bench.edit { editor in
                try editor.update("tasks", "a1", ["assignee": page.isMultiple(of: 2) ? nobody : mine])
                try editor.update("tasks", "b1", ["assignee": page.isMultiple(of: 2) ? mine : nobody])
            }
        }
        try await copy.pull(Scene.mine, pageSize: pageSize)
        #expect(copy.rows == (try await member.filteredDrain(Scene.mine)).updated)
    }
}
