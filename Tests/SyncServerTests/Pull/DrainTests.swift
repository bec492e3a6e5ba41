import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Writes between drains and between pages arrive, each once: `docs/protocol.md#get-projectsidsync`.
@Suite struct DrainTests {
    @Test func aColdEditNextToAHotRowArrives() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["cold", "hot"])
        let member = try await scene.client(.member)
        for step in 1...6 { try await member.upload(updated: [["id": "hot", "percent_complete": .int(Int64(step))]]) }
        let first = try await member.drain()
        #expect(first.row("tasks", "hot")?["server_version"] == 7)

        try await member.upload(created: [["id": "new", "name": "New"]])
        try await member.upload(updated: [["id": "cold", "notes": "edited"]])
        let second = try await member.drain(since: first.timestamp)
        #expect(second.ids("tasks") == ["new", "cold"])
        #expect(second.row("tasks", "cold")?["server_version"] == 2)
    }

    @Test func editsBetweenPagesComeOnceAndWithTheNextDrain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((1...6).map { "t\($0)" })
        try await scene.bench.edit { editor in
            for link in 1...6 { try editor.insert("task_links", "l\(link)", ["task": "t1", "url": "https://a.org"]) }
        }
        let member = try await scene.client(.member)
        var edited = false
        let first = try await member.drain(pageSize: 10) { _ in
            // Page 1 ends among the tasks: calendars and memberships came before them, links come after them.
            guard !edited else { return }
            edited = true
            try await scene.bench.edit { editor in
                try editor.update("calendars", "p1-0001", ["name": "Passed"])
                try editor.update("tasks", "t1", ["name": "Passed"])
                try editor.update("tasks", "t6", ["name": "To come"])
                try editor.update("task_links", "l3", ["title": "To come"])
            }
        }
        #expect(edited)
        let second = try await member.drain(since: first.timestamp)
        let written: Set = [
            RowKey("calendars", "p1-0001"), RowKey("tasks", "t1"), RowKey("tasks", "t6"), RowKey("task_links", "l3"),
        ]
        #expect(Set(second.rows.keys) == written)
        #expect(!first.rows.keys.contains(RowKey("task_links", "l3")))
        #expect(first.rows.merging(second.rows) { $1 } == (try await member.drain()).rows)
    }

    @Test func aRowDeletedBetweenPagesComesAsATombstoneWithTheNextDrain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((1...4).map { "t\($0)" })
        let member = try await scene.client(.member)
        let first = try await member.drain(pageSize: 2, collections: "tasks") { page in
            if page == 1 { try await member.upload(deleted: ["t1", "t4"]) }
        }
        #expect(first.ids("tasks") == ["t1", "t2", "t3"])
        let second = try await member.drain(since: first.timestamp)
        #expect(second.rows.isEmpty)
        #expect(second.deleted == [RowKey("tasks", "t1"), RowKey("tasks", "t4")])
    }

    @Test func aDrainEndsThoughEveryPageIsFollowedByAWrite() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((1...5).map { "t\($0)" })
        let member = try await scene.client(.member)
        let drain = try await member.drain(pageSize: 1) { page in
            try await member.upload(created: [["id": .string("new\(page)"), "name": "New"]])
        }
        #expect(drain.ids("tasks") == ["t1", "t2", "t3", "t4", "t5"])
    }

    @Test func anUnchangedProjectAnswersAnEmptyDeltaAndTheSameTimestamp() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let first = try await member.drain()
        let second = try await member.drain(since: first.timestamp)
        #expect(second.timestamp == first.timestamp)
        #expect(second.rows.isEmpty && second.deleted.isEmpty)
        #expect(second.pageCounts == [0])
    }

    @Test func aRepeatedPageIsTheSamePage() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let first = try await member.page(["page_size": "3"])
        let cursor = try #require(first.at("/next_cursor")?.string)
        let parameters = ["page_size": "3", "cursor": cursor]
        #expect(try await member.page(parameters).body == member.page(parameters).body)
    }

    @Test func aDrainFromZeroCarriesTombstones() async throws {
        let scene = try await Scene()
        try await scene.fill()
        #expect(try await scene.client(.member).drain().isDeleted("tasks", "t-dead"))
    }
}
