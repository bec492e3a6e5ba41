import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// The shape of a page.
@Suite struct PageFormTests {
    @Test func everyPageHasEveryCollectionWithItsThreeBuckets() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        var parameters = ["page_size": "2"]
        repeat {
            let page = try await member.page(parameters)
            let changes = try #require(page.at("/changes")?.object)
            #expect(Set(changes.keys) == Set(scene.registry.collections.map(\.name)))
            for (name, bucket) in changes {
                #expect(Set(bucket.object?.keys.map { $0 } ?? []) == ["created", "updated", "deleted"], "\(name)")
                #expect(bucket["created"] == [], "\(name)")
                #expect(bucket["updated"]?.array != nil && bucket["deleted"]?.array != nil, "\(name)")
            }
            parameters["cursor"] = page.at("/next_cursor")?.string
        } while parameters["cursor"] != nil
    }

    @Test func aProjectHasAllCollections() async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page()
        #expect(page.at("/changes")?.object?.count == 14)
    }

    @Test func aRowCarriesEveryFieldItsIDItsVersionAndItsProject() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let drain = try await scene.client(.member).drain()
        for (key, row) in drain.rows {
            let fields = try #require(scene.registry[key.collection]).fields.map(\.name)
            #expect(
                Set(row.object?.keys.map { $0 } ?? []) == Set(fields + ["id", "project_id", "server_version"]), "\(key)"
            )
            #expect(row["project_id"] == "p1", "\(key)")
        }
    }

    @Test func valuesComeBackInTheirOwnTypes() async throws {
        let scene = try await Scene()
        let name = "Quotes \" \\ / \u{1} \n\t ü 漢 👩‍👩‍👧 \u{2028}"
        try await scene.bench.edit { editor in
            try editor.insert(
                "tasks", "t1", ["name": .string(name), "percent_complete": 12.5, "is_milestone": true, "duration": 0])
            try editor.insert(
                "risks", "r1", ["title": "R", "probability": 1, "impact": 5, "task_ids": ["t1"]])
        }
        let drain = try await scene.client(.member).drain()
        let task = try #require(drain.row("tasks", "t1"))
        #expect(task["name"] == .string(name))
        #expect(task["percent_complete"] == 12.5)
        #expect(task["is_milestone"] == true)
        #expect(task["duration"] == 0)
        #expect(task["parent"] == JSON.null)
        #expect(drain.row("risks", "r1")?["task_ids"] == ["t1"])
    }

    @Test func progressCountsTheRowsOfTheDrainUpToTheTotal() async throws {
        let scene = try await Scene()
        try await scene.insertTasks((1...10).map { "t\($0)" })
        let viewer = try await scene.client(.viewer)
        var rows: [Int64] = []
        var parameters = ["page_size": "4", "collections": "tasks"]
        repeat {
            let page = try await viewer.page(parameters)
            rows.append(page.at("/progress/rows")?.int ?? -1)
            #expect(page.at("/progress/total") == 10)
            parameters["cursor"] = page.at("/next_cursor")?.string
        } while parameters["cursor"] != nil
        #expect(rows == [4, 8, 10])
    }

    @Test func progressHasNoTotalWhereItWouldCostAScan() async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["since": "1"])
        #expect(page.at("/progress/total") == JSON.null)
    }

    @Test func tidemarkHeadIsTheHeadNow() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        let first = try await member.page(["page_size": "1"])
        let timestamp = try #require(first.at("/timestamp")?.int)
        #expect(first.header("Tidemark-Head") == String(timestamp))

        try await member.upload(updated: [["id": "t1", "name": "Later"]])
        let cursor = try #require(first.at("/next_cursor")?.string)
        let second = try await member.page(["page_size": "1", "cursor": cursor])
        #expect(second.at("/timestamp") == .int(timestamp))
        #expect(second.header("Tidemark-Head") == String(timestamp + 1))
    }

    @Test func aNewProjectsHeadIsOne() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        let body: JSON = ["id": "fresh", "name": "Fresh", "start_date": "2026-01-05"]
        let created = try await owner.send("POST", "/api/v1/projects/", body.data)
        #expect(created.status == 201)
        #expect(created.header("Location") == "/api/v1/projects/fresh/")
        let page = try await owner.send("GET", "/api/v1/projects/fresh/sync/")
        #expect(page.at("/timestamp") == 1)
    }
}
