import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// The server reads history and inboxes only up to a limit of memory, and does not take what lies beyond for empty.
@Suite struct HistoryLimitTests {
    private static let long = String(repeating: "n", count: 900_000)

    /// While the phone was away, another user edited notes this many times, each time with long texts.
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

    /// The limit applies to each row: the history of other rows in the batch does not count.
    @Test func theHistoryOfEachRowIsReadForItself() async throws {
        let answer = try await Self.mergedBatch(rows: 3, edits: 3)
        #expect(answer.at("/applied/tasks/updated")?.array?.count == 3)
        #expect(answer.at("/conflicts") == [:])
    }

    /// A batch holds up the only writer, so there is also a limit for all its rows together.
    @Test func aBatchReadsNoMoreThanSixtyFourMebibytesOfHistory() async throws {
        let answer = try await Self.mergedBatch(rows: 25, edits: 4)
        #expect(answer.at("/applied/tasks/updated")?.array?.count == 24)
        #expect(answer.at("/conflicts/tasks")?.array?.count == 1)
    }

    /// The answer to a phone that edits all of the rows after each was edited this many times by others.
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
        var settings = SyncSettings()
        (settings.uploadRatePerProject, settings.uploadRatePerUser) = (0, 0)
        let scene = try await Scene(settings: settings)
        let member = try await scene.client(.member)
        // Of a large value an inbox keeps 64 KiB, so it takes many to fill a page.
        for index in 0..<80 {
            let row: JSON = ["id": .string("b\(index)"), "name": 7, "notes": .string(Self.long)]
            try await member.upload(created: [row], members: ["on_error": "reject_rows"])
        }
        var (pages, next) = ([[String]](), String?.none)
        repeat {
            let after = "?limit=500" + (next.map { "&after=\($0)" } ?? "")
            let page = try await member.send("GET", "/projects/p1/rejected/" + after)
            pages.append((page.at("/results")?.array ?? []).compactMap { $0["id"]?.string })
            next = page.at("/next")?.string
        } while next != nil && pages.count < 9
        #expect(pages.count == 2 && pages.joined().map { $0 } == (0..<80).map { "b\($0)" })
        #expect((55...64).contains(pages[0].count), "\(pages[0].count)")
    }
}
