import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit
import Testing

/// How many rows a project may have, and how large one may be.
@Suite struct QuotaTests {
    private func scene(rows: Int? = nil, rowKilobytes: Int = 1024) async throws -> Scene {
        var settings = SyncSettings()
        settings.projectRows = rows
        settings.rowMaximumKilobytes = rowKilobytes
        settings.uploadRatePerProject = 0
        settings.uploadRatePerUser = 0
        return try await Scene(settings: settings)
    }

    private func tasks(_ ids: some Sequence<Int>) -> [JSON] {
        ids.map { ["id": .string("t\($0)"), "name": "T"] }
    }

    private func live(_ collection: String, _ scene: Scene) async throws -> Int {
        try await scene.bench.store.read { try $0.counts(project: "p1") }[collection]?.live ?? 0
    }

    private static let lenient: [String: JSON] = ["on_error": "reject_rows"]

    /// The project has a calendar already.
    @Test func aBatchAboveTheLimitIsRefusedWithWhatIsUsed() async throws {
        let scene = try await scene(rows: 4)
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let used = try await live("calendars", scene)
        #expect(try await member.upload(created: tasks(0..<(3 - used))).status == 200)
        for (client, isAdmin) in [(member, false), (admin, true)] {
            let refused = try await client.upload(created: tasks(10..<12))
            #expect(refused.status == 403 && refused.code == "quota_exceeded")
            #expect(refused.json["quota"] == "project_rows" && refused.json["limit"] == 4)
            #expect(refused.json["used"] == (isAdmin ? 3 : nil), "others could find out what the project has")
            #expect(refused.json["errors"]?.array?.map { $0["code"] } == ["quota_exceeded", "quota_exceeded"])
        }
        let single = try await admin.create("tasks", ["id": "t20", "name": "T"])
        #expect(single.status == 201)
        let next = try await admin.create("tasks", ["id": "t21", "name": "T"])
        #expect(next.status == 403 && next.code == "quota_exceeded" && next.json["used"] == 4)
    }

    /// Whichever row comes first, the same rows stand.
    @Test(arguments: 1...6) func allRowsThatAddAreRefusedWhateverTheirOrder(seed: UInt64) async throws {
        let scene = try await scene(rows: 6)
        let member = try await scene.client(.admin)
        let calendars = try await live("calendars", scene)
        #expect(try await member.upload(created: tasks(0..<(6 - calendars))).status == 200)
        var random = SeededGenerator(seed: seed)
        var answers: Set<String> = []
        let rows: [JSON] = tasks(10..<13)
        for _ in 0..<3 {
            let answer = try await member.upload(
                created: rows.shuffled(using: &random), updated: [["id": "t0", "name": "Edited"]],
                members: Self.lenient)
            #expect(answer.status == 200)
            answers.insert(
                (answer.at("/rejected/tasks")?.array ?? []).compactMap { "\($0["id"]!.string!) \($0["code"]!.string!)" }
                    .sorted().joined(separator: ","))
            #expect(answer.at("/rejected_ids/tasks")?.array?.count == 3, "seed \(seed): \(answer.text)")
        }
        #expect(answers == ["t10 quota_exceeded,t11 quota_exceeded,t12 quota_exceeded"], "seed \(seed)")
        #expect(try await member.read("tasks", "t0").at("/name") == "Edited", "an edit adds nothing")
    }

    @Test func whatABatchDeletesCountsForIt() async throws {
        let scene = try await scene(rows: 5)
        let member = try await scene.client(.admin)
        let calendars = try await live("calendars", scene)
        let all = 5 - calendars
        #expect(try await member.upload(created: tasks(0..<all)).status == 200)
        #expect(try await member.upload(created: tasks(10..<12), deleted: ["t0"]).code == "quota_exceeded")
        #expect(try await member.read("tasks", "t0").status == 200, "the batch is refused as a whole")
        #expect(try await member.upload(created: tasks(10..<12), deleted: ["t0", "t1"]).status == 200)
        #expect(try await member.upload(deleted: ["t10"]).status == 200)
        #expect(try await member.upload(created: tasks(20..<21)).status == 200)
    }

    /// A counter beside it says the same.
    @Test(arguments: 1...4) func aProjectNeverHasMoreThanItsLimit(seed: UInt64) async throws {
        let scene = try await scene(rows: 12)
        let client = try await scene.client(.admin)
        let calendars = try await live("calendars", scene)
        var random = SeededGenerator(seed: seed)
        var live: Set<Int> = []
        var next = 0
        for step in 0..<40 {
            let added = Array(next..<(next + Int.random(in: 0...4, using: &random)))
            next += added.count
            let gone = Array(live.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
            let fits = calendars + live.count + added.count - gone.count <= 12 || added.isEmpty
            let answer = try await client.upload(
                created: tasks(added), deleted: gone.map { .string("t\($0)") }, members: Self.lenient)
            #expect(answer.status == 200, "seed \(seed), step \(step): \(answer.text)")
            let rejected = answer.at("/rejected_ids/tasks")?.array?.count ?? 0
            #expect(rejected == (fits ? 0 : added.count), "seed \(seed), step \(step)")
            live.subtract(gone)
            if fits { live.formUnion(added) }
            #expect(try await self.live("tasks", scene) == live.count, "seed \(seed), step \(step)")
        }
    }

    @Test func ofABatchForSeveralProjectsOnlyTheFullOneIsRefused() async throws {
        let scene = try await scene(rows: 3)
        let member = try await scene.client(.admin)
        let calendars = try await live("calendars", scene)
        #expect(try await member.upload(created: tasks(0..<(3 - calendars))).status == 200)
        let made: JSON = [
            "client_batch_id": "7f5a3a70-6f0e-4a6d-9d1e-000000000001", "on_error": "reject_rows",
            "changes": [
                "projects": ["created": [["id": "p9", "name": "Nine", "start_date": "2026-01-05"]]],
                "tasks": [
                    "created": [
                        ["id": "t50", "name": "T", "project_id": "p1"], ["id": "t51", "name": "T", "project_id": "p9"],
                    ]
                ],
            ],
        ]
        let answer = try await member.send("POST", "/api/v1/sync/", made.data)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/rejected_ids/tasks") == ["t50"])
        let strict: JSON = [
            "client_batch_id": "7f5a3a70-6f0e-4a6d-9d1e-000000000002",
            "changes": ["tasks": ["created": [["id": "t60", "name": "T", "project_id": "p1"]]]],
        ]
        let refused = try await member.send("POST", "/api/v1/sync/", strict.data)
        #expect(refused.status == 403 && refused.code == "quota_exceeded")
        #expect(refused.json["quota"] == "project_rows" && refused.json["limit"] == 3 && refused.json["used"] == 3)
        #expect(try await member.read("tasks", "t51").status == 200)
    }

    @Test func aRowThatIsTooLargeCountsForNobody() async throws {
        var settings = SyncSettings()
        (settings.projectRows, settings.rowMaximumKilobytes) = (3, 4)
        let scene = try await Scene(settings: settings)
        let member = try await scene.client(.admin)
        let room = 3 - (try await live("calendars", scene)) - 1
        #expect(try await member.upload(created: tasks(0..<room)).status == 200)
        let large: JSON = ["id": "large", "name": "L", "notes": .string(String(repeating: "x", count: 5000))]
        let answer = try await member.upload(created: [large, ["id": "small", "name": "S"]], members: Self.lenient)
        #expect(answer.at("/rejected/tasks")?.array?.map { $0["code"] } == ["row_too_large"], "\(answer.text)")
        #expect(try await member.read("tasks", "small").status == 200)
        let project: JSON = [
            "name": "P", "start_date": "2026-01-05", "description": .string(String(repeating: "x", count: 5000)),
        ]
        let refused = try await member.create("projects", project)
        #expect(refused.status == 400 && refused.json["errors"]?.array?.first?["code"] == "row_too_large")
    }

    @Test func aRowThatIsTooLargeMayShrinkAndNotGrow() async throws {
        let scene = try await scene(rowKilobytes: 4)
        let member = try await scene.client(.admin)
        func text(_ kilobytes: Int) -> JSON { .string(String(repeating: "x", count: kilobytes << 10)) }
        let refused = try await member.upload(created: [["id": "t1", "name": "T", "notes": text(5)]])
        #expect(refused.status == 400 && refused.json["errors"]?.array?.map { $0["code"] } == ["row_too_large"])
        #expect(try await member.create("tasks", ["name": "T", "notes": text(5)]).status == 400)
        // One from before the limit.
        try await scene.insertTasks(["t2"], ["notes": text(8)])
        #expect(try await member.patch("tasks", "t2", ["name": "A longer name"]).status == 200, "it is short")
        #expect(try await member.patch("tasks", "t2", ["notes": text(9)]).status == 400)
        #expect(try await member.upload(updated: [["id": "t2", "notes": text(7)]]).status == 200)
        #expect(try await member.patch("tasks", "t2", ["notes": text(6)]).status == 200)
        #expect(try await member.patch("tasks", "t2", ["notes": text(7)]).status == 400)
        #expect(try await member.patch("tasks", "t2", ["notes": "x"]).status == 200)
        #expect(try await member.send("DELETE", "/tasks/t2/").status < 500)
    }
}
