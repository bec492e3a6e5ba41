import SyncProtocol
import SyncStore
import Testing

/// A drain has the same rows whatever its page size: `docs/protocol.md#get-projectsidsync`.
@Suite struct PageSizeTests {
    @Test func everyPageSizeGivesTheSameSetWithEachIDOnce() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let whole = try await member.drain(pageSize: 5000)
        #expect(whole.pageCounts.count == 1)
        for pageSize in [1, 2, 7, 100] {
            let drain = try await member.drain(pageSize: pageSize)
            #expect(drain.rows == whole.rows, "page size \(pageSize)")
            #expect(drain.deleted == whole.deleted, "page size \(pageSize)")
            #expect(drain.timestamp == whole.timestamp, "page size \(pageSize)")
        }
        // 5 memberships, 3 tasks, and one row of each of the other 11 collections.
        #expect(whole.rows.count == 19)
        #expect(whole.deleted == [RowKey("tasks", "t-dead")])
    }

    @Test func pagesAreFullButForTheLast() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<20).map { "t\($0)" })
        let drain = try await scene.client(.viewer).drain(pageSize: 7, collections: "tasks")
        #expect(drain.pageCounts == [7, 7, 6])
    }

    @Test func aPageThatTakesTheLastRowHasNoCursor() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let drain = try await scene.client(.viewer).drain(pageSize: 2, collections: "tasks")
        #expect(drain.pageCounts == [2])
    }

    @Test(arguments: ["0", "-3", "1", "0.5", "-99999999999999999999999"])
    func aPageSizeBelowOneIsOne(pageSize: String) async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["page_size": pageSize, "collections": "memberships"])
        #expect(page.status == 200)
        #expect(page.at("/changes/memberships/updated")?.array?.count == 1)
        #expect(page.at("/has_more") == true)
    }

    @Test func aPageSizeAboveTheLimitIsTheLimit() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<5001).map { "t\($0)" })
        let page = try await scene.client(.viewer).page(["page_size": "1000000000", "collections": "tasks"])
        #expect(page.at("/changes/tasks/updated")?.array?.count == 5000)
    }

    @Test func aPageHoldsAThousandRowsByDefault() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<1001).map { "t\($0)" })
        let page = try await scene.client(.viewer).page(["collections": "tasks"])
        #expect(page.at("/changes/tasks/updated")?.array?.count == 1000)
    }

    @Test(arguments: ["abc", "", "1x", "nan", "inf", "null"])
    func aPageSizeThatIsNoNumberIsRefused(pageSize: String) async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["page_size": pageSize])
        #expect(page.status == 400)
        #expect(page.code == "invalid_page_size")
    }

    @Test func thePageSizeMayChangeWithinADrain() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<9).map { "t\($0)" })
        let member = try await scene.client(.member)
        var drain = Drain()
        var cursor: String?
        for pageSize in [1, 5, 2, 5000] {
            var parameters = ["page_size": String(pageSize), "collections": "tasks"]
            parameters["cursor"] = cursor
            cursor = drain.take(try await member.page(parameters), pageSize: pageSize)
        }
        #expect(cursor == nil)
        #expect(drain.rows.count == 9)
    }
}
