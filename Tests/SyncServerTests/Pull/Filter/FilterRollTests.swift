import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Pulls that go from one filter to another.
@Suite struct FilterRollTests {
    private func filled() async throws -> (Scene, Client, since: Int64) {
        let scene = try await Scene()
        try await scene.fillParts()
        let member = try await scene.client(.member)
        return (scene, member, try await member.filteredDrain(Scene.mine).timestamp)
    }

    @Test(arguments: [1, 2, 1000]) func whatIsNewComesWholeAndWhatIsOldLeaves(pageSize: Int) async throws {
        let (_, member, since) = try await filled()
        let drain = try await member.filteredDrain(Scene.onHold, was: Scene.mine, since: since, pageSize: pageSize)
        #expect(Set(drain.updated.keys) == Scene.ofB1)
        #expect(drain.left == Scene.ofA1 && drain.deleted.isEmpty)
        #expect(drain.timestamp == since)
    }

    @Test(arguments: [1, 1000]) func whatHappenedMeanwhileComesAsWell(pageSize: Int) async throws {
        let (scene, member, since) = try await filled()
        var copy = FilteredCopy(member)
        try await copy.pull(Scene.mine)
        try await scene.bench.edit { editor in
            try editor.update("tasks", "a2", ["notes": "edited"])
            try editor.update("tasks", "b2", ["status": "ON_HOLD"])
            try editor.update("tasks", "b1", ["status": "REVIEW"])
            try editor.delete("task_links", "la1")
        }
        let drain = try await copy.pull(Scene.onHold, pageSize: pageSize)
        #expect(drain.ids("tasks") == ["a2", "b2"] && drain.ids("dependencies") == ["d2"])
        #expect(drain.deleted == (try await member.drain(since: since)).deleted)
        #expect(copy.rows == (try await member.filteredDrain(Scene.onHold)).updated)
        try await copy.pull(Scene.mine, pageSize: pageSize)
        #expect(copy.rows == (try await member.filteredDrain(Scene.mine)).updated)
    }

    @Test func filterWasAloneGoesBackToEverything() async throws {
        let (_, member, since) = try await filled()
        let drain = try await member.filteredDrain(nil, was: Scene.mine, since: since)
        #expect(Set(drain.updated.keys) == Scene.ofB1.union(Scene.ofB2))
        #expect(drain.left.isEmpty && drain.deleted.isEmpty)
    }

    @Test func aFirstFilterTakesAwayTheRest() async throws {
        let (_, member, since) = try await filled()
        let drain = try await member.filteredDrain(Scene.mine, was: "{}", since: since)
        #expect(drain.left == Scene.ofB1.union(Scene.ofB2) && drain.updated.isEmpty)
    }

    @Test func anotherSpellingIsTheSameFilter() async throws {
        let (scene, member, since) = try await filled()
        let spelled = #"{ "tasks" : [ {"assignee": [\#(scene.userID(.member).text)]} ] }"#
        let drain = try await member.filteredDrain(spelled, was: Scene.mine, since: since)
        #expect(drain.updated.isEmpty && drain.left.isEmpty)
    }

    /// A window that goes on day by day.
    @Test func aWindowRolls() async throws {
        let scene = try await Scene()
        try await scene.bench.edit { editor in
            for day in 1...9 {
                try editor.insert("tasks", "t\(day)", ["name": "T", "planned_start": .string("2026-11-0\(day)")])
            }
        }
        var copy = FilteredCopy(try await scene.client(.viewer))
        for day in 1...7 {
            let range = #"{"from":"2026-11-0\#(day)","until":"2026-11-0\#(day + 2)"}"#
            let drain = try await copy.pull(#"{"tasks":[{"planned_start":\#(range)}]}"#, pageSize: 2)
            guard day > 1 else { continue }
            #expect(drain.ids("tasks") == ["t\(day + 2)"] && drain.left == [RowKey("tasks", "t\(day - 1)")])
        }
        #expect(Set(copy.rows.keys.filter { $0.collection == "tasks" }.map(\.id)) == ["t7", "t8", "t9"])
    }

    /// Another filter has something to say although nothing was written.
    @Test(arguments: [nil, Scene.onHold] as [String?]) func aStreamHasTheListsOfThePages(filter: String?) async throws {
        let (scene, member, since) = try await filled()
        try await scene.bench.edit { editor in
            try editor.update("tasks", "a2", ["notes": "edited"])
            try editor.delete("tasks", "b2")
        }
        for now in [since, try await member.head()] {
            for left in ["left", "deleted"] {
                var parameters = Client.part(filter, was: Scene.mine, since: now)
                (parameters["left"], parameters["page_size"]) = (left, "5000")
                let page = try await member.page(parameters)
                let stream = try await member.page(parameters.merging(["stream": "true"]) { $1 })
                #expect(page.status == 200 && stream.body == page.body)
            }
        }
        let first = try await member.page(Client.part(filter ?? "{}").merging(["page_size": "5000"]) { $1 })
        let stream = try await member.page(Client.part(filter ?? "{}").merging(["stream": "true"]) { $1 })
        #expect(stream.body == first.body)
    }
}
