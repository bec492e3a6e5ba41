import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// A filter narrows what the caller sees, and tells of nothing else.
@Suite struct FilterSightTests {
    /// Two sprints under way: `s1` with the team's retro `team` and its item `team-item`, `s2` with the retro `open`
    /// and its item `open-item`, which everybody sees.
    private func scene() async throws -> Scene {
        let scene = try await Scene()
        for id in ["s1", "s2"] { try await scene.insertSprint(id) }
        try await scene.bench.edit { editor in
            for id in ["s1", "s2"] { try editor.update("sprints", id, ["state": "ACTIVE"]) }
            try editor.insert("sprint_retros", "team", ["sprint": "s1", "team_visibility": "team_only"])
            try editor.insert("sprint_retros", "open", ["sprint": "s2", "team_visibility": "project"])
            for id in ["team", "open"] {
                try editor.insert("retro_action_items", "\(id)-item", ["retro": .string(id), "text": "Do"])
            }
        }
        return scene
    }

    private let teamRows: Set = [RowKey("sprint_retros", "team"), RowKey("retro_action_items", "team-item")]
    private let openRows: Set = [RowKey("sprint_retros", "open"), RowKey("retro_action_items", "open-item")]
    private let sprintRows: Set = [RowKey("sprints", "s1"), RowKey("sprints", "s2")]

    private func end(_ ids: [String], in scene: Scene) async throws {
        try await scene.bench.edit { editor in
            for id in ids { try editor.update("sprints", id, ["state": "COMPLETED"]) }
        }
    }

    @Test(arguments: [1, 1000]) func whatIsHiddenNeverLeaves(pageSize: Int) async throws {
        let scene = try await scene()
        let (viewer, member) = (try await scene.client(.viewer), try await scene.client(.member))
        let first = try await viewer.filteredDrain(Scene.active, pageSize: pageSize)
        #expect(openRows.isSubset(of: first.updated.keys) && teamRows.isDisjoint(with: first.updated.keys))
        try await end(["s1", "s2"], in: scene)
        let since = first.timestamp
        let seen = try await viewer.filteredDrain(Scene.active, was: "same", since: since, pageSize: pageSize)
        #expect(seen.left == sprintRows.union(openRows) && seen.updated.isEmpty && seen.deleted.isEmpty)
        let all = try await member.filteredDrain(Scene.active, was: "same", since: since, pageSize: pageSize)
        #expect(all.left == sprintRows.union(openRows).union(teamRows))
    }

    @Test func whatIsHiddenNeverLeavesInARollEither() async throws {
        let scene = try await scene()
        let viewer = try await scene.client(.viewer)
        let since = try await viewer.head()
        let ended = #"{"sprints":[{"state":"COMPLETED"}]}"#
        #expect(
            try await viewer.filteredDrain(ended, was: Scene.active, since: since).left == sprintRows.union(openRows))
        #expect(try await viewer.filteredDrain(ended, was: "{}", since: since).left == sprintRows.union(openRows))
        let all = try await viewer.filteredDrain(nil, was: ended, since: since)
        #expect(Set(all.updated.keys) == sprintRows.union(openRows) && all.left.isEmpty)
    }

    /// Both retros end up hidden, and the sprint of one has left the part before.
    @Test func whatGetsHiddenIsDeletedAsWithoutAFilter() async throws {
        let scene = try await scene()
        let viewer = try await scene.client(.viewer)
        let since = try await viewer.filteredDrain(Scene.active).timestamp
        try await end(["s2"], in: scene)
        try await scene.bench.edit { try $0.update("sprint_retros", "open", ["team_visibility": "team_only"]) }
        let drain = try await viewer.filteredDrain(Scene.active, was: "same", since: since)
        #expect(drain.deleted == (try await viewer.drain(since: since)).deleted)
        #expect(drain.deleted == openRows && drain.left == [RowKey("sprints", "s2")])
    }

    @Test func whatBecomesVisibleComesIfItIsInThePart() async throws {
        let scene = try await scene()
        try await end(["s2"], in: scene)
        let viewer = try await scene.client(.viewer)
        let since = try await viewer.filteredDrain(Scene.active).timestamp
        try await scene.setRole(of: .viewer, to: .member)
        let drain = try await viewer.filteredDrain(Scene.active, was: "same", since: since)
        #expect(drain.ids("sprint_retros") == ["team"] && drain.ids("retro_action_items") == ["team-item"])
    }

    @Test func entriesOfOthersNeitherComeNorLeave() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        for role in [Role.member, .admin] {
            try await scene.bench.edit(as: role) { editor in
                for day in ["01", "02"] {
                    try editor.insert(
                        "time_entries", "\(role.word)-\(day)",
                        ["task": "t1", "minutes": 5, "entry_date": .string("2026-02-\(day)")])
                }
            }
        }
        let february = #"{"time_entries":[{"entry_date":{"from":"2026-02-01","until":"2026-02-28"}}]}"#
        let member = try await scene.client(.member)
        let own: Set = ["\(Role.member.word)-01", "\(Role.member.word)-02"]
        let first = try await member.filteredDrain(february)
        #expect(first.ids("time_entries") == own)
        try await scene.bench.edit { editor in
            for role in [Role.member, .admin] {
                try editor.update("time_entries", "\(role.word)-01", ["entry_date": "2026-03-01"])
            }
        }
        let drain = try await member.filteredDrain(february, was: "same", since: first.timestamp)
        #expect(drain.left == [RowKey("time_entries", "\(Role.member.word)-01")])
    }

    /// Pages are shared by those who ask for the same, and `"@me"` is not the same for two users.
    @Test func meIsWhoeverAsks() async throws {
        let scene = try await Scene()
        let users = [Role.member, .admin]
        let ids = users.map { scene.userID($0) }
        try await scene.bench.edit { editor in
            for (role, user) in zip(users, ids) {
                for number in 0..<250 {
                    try editor.insert("tasks", "\(role.word)-\(number)", ["name": "T", "assignee": user])
                }
            }
        }
        for _ in 0..<2 {
            for role in users {
                let client = try await scene.client(role)
                let drain = try await client.filteredDrain(Scene.mine)
                #expect(drain.ids("tasks") == Set((0..<250).map { "\(role.word)-\($0)" }))
                let page = try await client.page(
                    Client.part(Scene.mine), headers: ["Accept-Encoding": "gzip"], unpacks: true)
                #expect(page.body == (try await client.page(Client.part(Scene.mine))).body)
                let later = try await client.filteredDrain(Scene.mine, was: "{}", since: drain.timestamp)
                #expect(later.left.count == 250 && later.left.allSatisfy { !$0.id.hasPrefix(role.word) })
            }
        }
    }
}
