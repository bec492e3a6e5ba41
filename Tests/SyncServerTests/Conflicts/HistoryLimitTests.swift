import SyncProtocol
import SyncServer
import SyncTestKit
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

    /// The limit is of a row: what others of the batch went through does not count.
    @Test func theHistoryOfEachRowIsReadForItself() async throws {
        let answer = try await Self.mergedBatch(rows: 3, edits: 3)
        #expect(answer.at("/applied/tasks/updated")?.array?.count == 3)
        #expect(answer.at("/conflicts") == [:])
    }

    /// A batch holds up the one writer, so that there is a limit for all of its rows, too.
    @Test func aBatchReadsNoMoreThanSixtyFourMebibytesOfHistory() async throws {
        let answer = try await Self.mergedBatch(rows: 25, edits: 4)
        #expect(answer.at("/applied/tasks/updated")?.array?.count == 24)
        #expect(answer.at("/conflicts/tasks")?.array?.count == 1)
    }

    /// What a phone is answered that edits all of the rows, each of which was edited so often meanwhile.
    private static func mergedBatch(rows: Int, edits: Int) async throws -> Answer {
        let (scene, ids) = (try await Scene(), (0..<rows).map { "t\($0)" })
        try await scene.insertTasks(ids)
        var away = try await EditingPhone(scene.client(.member))
        away.namesColumns = true
        for edit in 0..<edits {
            try await scene.bench.edit(as: .admin) { editor in
                for id in ids { try editor.update("tasks", id, ["notes": .string(long + "\(edit)")]) }
            }
        }
        for id in ids { away.edit(id, ["name": "Mine"]) }
        return try await away.push("merge")
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
