import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// `GET /projects/{project}/{collection}/`.
@Suite struct ListTests {
    private func ids(_ client: Client, _ collection: String, limit: Int) async throws -> [String] {
        var (ids, after) = ([String](), "")
        for _ in 0..<100 {
            let page = try await client.list(collection, "?limit=\(limit)&after=\(after)")
            let rows = page.at("/results")?.array ?? []
            #expect(rows.count <= limit)
            ids += rows.compactMap { $0["id"]?.string }
            guard let next = page.at("/next")?.string else { return ids }
            after = next
        }
        return ids
    }

    @Test(arguments: [1, 2, 3, 500]) func aListNamesEveryLiveRowOnceInOrder(limit: Int) async throws {
        let scene = try await Scene()
        try await scene.fill()
        let other = try await scene.otherProject()
        try await other.edit { try $0.insert("tasks", "t15", ["name": "Foreign"]) }
        let member = try await scene.client(.member)
        #expect(try await ids(member, "tasks", limit: limit) == ["t1", "t2", "t3"])
    }

    @Test func anEditDuringAListLosesAndDoublesNothing() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["a", "b", "c"])
        let member = try await scene.client(.member)
        let first = try await member.list("tasks", "?limit=1")
        try await member.patch("tasks", "a", ["name": "A again"])
        try await member.patch("tasks", "c", ["name": "C again"])
        let rest = try await member.list("tasks", "?limit=5&after=\(first.at("/next")?.string ?? "")")
        #expect((rest.at("/results")?.array ?? []).map { $0["id"] } == ["b", "c"])
    }

    @Test func aRowCreatedDuringAListIsInIt() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["m", "n"])
        let member = try await scene.client(.member)
        let first = try await member.list("tasks", "?limit=1")
        try await scene.insertTasks(["a"])
        let rest = try await member.list("tasks", "?after=\(first.at("/next")?.string ?? "")")
        #expect((rest.at("/results")?.array ?? []).map { $0["id"] } == ["n", "a"])
    }

    @Test(arguments: ["t1", "7", "7.", ".t1", "-1.t1", "7.t/1", "99999999999999999999.t1"])
    func aPlaceThatNoListGaveOutIsRefused(after: String) async throws {
        let scene = try await Scene()
        #expect(try await scene.client(.member).list("tasks", "?after=\(after)").code == "invalid_parameter")
    }

    @Test func aListOfLargeRowsEndsEarlyAndLosesNone() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let notes = JSON.string(String(repeating: "n", count: 3 << 20))
        try await scene.insertTasks((0..<12).map { "t\(10 + $0)" }, ["notes": notes])
        let first = try await member.list("tasks", "?limit=500")
        #expect(first.at("/results")?.array?.count == 3 && first.at("/next")?.string?.hasSuffix(".t12") == true)
        #expect(try await ids(member, "tasks", limit: 500).count == 12)
    }

    @Test func aListShowsWhatADrainShows() async throws {
        let scene = try await Scene()
        try await scene.fill()
        for role in Role.allCases {
            let client = try await scene.client(role)
            let drain = try await client.drain()
            for collection in scene.registry.collections where collection.scope != .project {
                let listed = try await ids(client, collection.name, limit: 2)
                #expect(Set(listed) == drain.ids(collection.name), "\(role) \(collection.name)")
            }
        }
    }

    @Test(arguments: ["?limit=0", "?limit=-1", "?limit=x", "?limit=1&limit=2"])
    func aBadLimitIsRefused(query: String) async throws {
        let scene = try await Scene()
        #expect(try await scene.client(.member).list("tasks", query).code == "invalid_parameter")
    }
}
