import SyncProtocol
import SyncServer
import Testing

/// History and inbox are read no further than memory allows; what lies behind that is never taken for nothing.
@Suite struct HistoryLimitTests {
    private static let long = String(repeating: "n", count: 900_000)

    /// The phone was away while another user edited notes so often, at such length.
    @Test(arguments: [2, 6]) func anEditBeyondTheHistoryThatIsReadIsInConflict(edits: Int) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        var away = try await EditingPhone(scene.client(.member))
        away.namesColumns = true
        for edit in 0..<edits {
            try await scene.client(.admin).upload(updated: [["id": "t1", "notes": .string(Self.long + "\(edit)")]])
        }
        away.edit("t1", ["name": "Mine"])
        let answer = try await away.push("merge")
        let isKnown = edits == 2
        #expect(answer.status == 200)
        #expect(answer.at("/conflicts/tasks/0/fields") == (isKnown ? nil : ["name"]))
        #expect((try await away.client.task("t1")?["name"] == "Mine") == isKnown)
        #expect(try await away.client.inbox().isEmpty == isKnown)
    }

    /// Each of the rows alone would be read.
    @Test func theRowsOfABatchShareWhatIsRead() async throws {
        let (scene, ids) = (try await Scene(), ["t1", "t2", "t3"])
        try await scene.insertTasks(ids)
        var away = try await EditingPhone(scene.client(.member))
        away.namesColumns = true
        for edit in 0..<3 {
            let notes = JSON.string(Self.long + "\(edit)")
            try await scene.client(.admin).upload(updated: ids.map { ["id": .string($0), "notes": notes] })
        }
        for id in ids { away.edit(id, ["name": "Mine"]) }
        let answer = try await away.push("merge")
        #expect(answer.at("/applied/tasks/updated")?.array?.count == 2)
        #expect(answer.at("/conflicts/tasks")?.array?.count == 1)
    }

    @Test func anInboxOfLongEntriesIsGivenInPages() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for index in 0..<7 {
            let row: JSON = ["id": .string("b\(index)"), "name": 7, "notes": .string(Self.long)]
            try await member.upload(created: [row], members: ["on_error": "reject_rows"])
        }
        var (pages, next) = ([[String]](), String?.none)
        repeat {
            let after = next.map { "?after=\($0)" } ?? ""
            let page = try await member.send("GET", "/projects/p1/rejected/" + after)
            pages.append((page.at("/results")?.array ?? []).compactMap { $0["id"]?.string })
            next = page.at("/next")?.string
        } while next != nil && pages.count < 9
        #expect(pages == [["b0", "b1", "b2", "b3"], ["b4", "b5", "b6"]])
    }
}
