import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// `migration` on pulls.
@Suite struct MigrationTests {
    private func drain(_ client: Client, since: Int64, _ migration: String, pageSize: Int = 1000) async throws -> Drain
    {
        var drain = Drain()
        var parameters = ["since": String(since), "migration": migration, "page_size": String(pageSize)]
        repeat {
            parameters["cursor"] = drain.take(try await client.page(parameters), pageSize: pageSize)
        } while parameters["cursor"] != nil
        return drain
    }

    @Test(arguments: [1, 2, 3, 1000]) func everyRowOfANamedTableComes(pageSize: Int) async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let since = try await member.head()
        try await scene.insertTasks(["t-new"])
        try await scene.bench.edit { try $0.delete("tasks", "t3") }
        let drain = try await drain(
            member, since: since, #"{"from":1,"tables":["tasks","time_entries"],"columns":[]}"#, pageSize: pageSize)
        #expect(drain.ids("tasks") == ["t1", "t2", "t-new"])
        #expect(drain.ids("time_entries") == ["te1"])
        #expect(drain.deleted == [RowKey("tasks", "t3")])
        #expect(drain.ids("risks") == [])
    }

    @Test(arguments: [1, 2, 1000]) func rowsComeWhoseNamedColumnIsNotItsDefault(pageSize: Int) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "t3", "t4", "t-dead"])
        try await scene.bench.edit { editor in
            try editor.update("tasks", "t1", ["duration": 7])
            try editor.update("tasks", "t2", ["is_milestone": true])
            try editor.update("tasks", "t-dead", ["duration": 7])
            try editor.insert(
                "risks", "r1", ["title": "R", "probability": 1, "impact": 1, "task_ids": ["t1"]])
            try editor.insert("risks", "r2", ["title": "R", "probability": 1, "impact": 1])
        }
        try await scene.bench.edit { try $0.delete("tasks", "t-dead") }
        let member = try await scene.client(.member)
        let since = try await member.head()
        try await scene.bench.edit { try $0.update("tasks", "t4", ["name": "Edited"]) }
        let drain = try await drain(
            member, since: since,
            #"{"columns":[{"table":"tasks","columns":["duration","assignee"]},"#
                + #"{"table":"risks","columns":["task_ids"]}]}"#,
            pageSize: pageSize)
        #expect(drain.ids("tasks") == ["t1", "t4"])
        #expect(drain.ids("risks") == ["r1"])
        #expect(drain.deleted.isEmpty)
    }

    /// WatermelonDB has null, an empty text, 0 or false in a new column, whatever the schema's default is.
    @Test(arguments: [
        ("duration", "t1"), ("percent_complete", "t2"), ("is_milestone", "t3"), ("notes", "t4"), ("wbs_path", "t5"),
    ])
    func watermelonDBLacksEveryValueThatIsNotEmpty(column: String, id: String) async throws {
        let scene = try await Scene()
        let empty: [String: JSON] = [
            "duration": 0, "percent_complete": 0, "is_milestone": false, "notes": "", "wbs_path": nil,
        ]
        let full: [String: JSON] = [
            "duration": 1, "percent_complete": 5, "is_milestone": true, "notes": "N", "wbs_path": "1",
        ]
        try await scene.insertTasks(["t1", "t2", "t3", "t4", "t5"])
        try await scene.bench.edit { editor in
            for task in ["t1", "t2", "t3", "t4", "t5"] {
                var values = empty
                if task == id { values[column] = full[column] }
                try editor.update("tasks", task, values)
            }
        }
        let member = try await scene.client(.member)
        let migration: JSON = ["columns": [["table": "tasks", "columns": [.string(column)]]]]
        let page = try await member.page([
            "since": String(try await member.head()), "encoding": "watermelondb", "migration": migration.text,
        ])
        #expect((page.at("/changes/tasks/updated")?.array ?? []).map { $0["id"] } == [.string(id)])
    }

    @Test func anUnchangedProjectIsSearchedToo() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let page = try await member.page(["since": String(head), "migration": #"{"tables":["risks"]}"#])
        #expect(page.at("/changes/risks/updated")?.array?.count == 1)
        #expect(page.at("/progress/total") == .null)
        #expect(page.at("/timestamp") == .int(head))
    }

    @Test func whatTheCallerMayNotSeeStaysHidden() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let tables = #"{"tables":["sprint_retros","retro_action_items","time_entries"]}"#
        let columns = #"{"columns":[{"table":"sprint_retros","columns":["team_visibility","created_at"]}]}"#
        for role in [Role.viewer, .admin] {
            let client = try await scene.client(role)
            let drain = try await drain(client, since: try await client.head(), tables)
            #expect(drain.ids("sprint_retros") == (role == .viewer ? [] : ["re1"]))
            #expect(drain.ids("retro_action_items") == (role == .viewer ? [] : ["ai1"]))
            #expect(drain.ids("time_entries") == (role == .viewer ? [] : ["te-foreign"]))
            #expect(drain.deleted.isEmpty)
        }
        let viewer = try await scene.client(.viewer)
        let drain = try await drain(viewer, since: try await viewer.head(), columns)
        #expect(drain.rows.isEmpty && drain.deleted.isEmpty)
    }

    @Test func aRoleThatRoseIsServedWholeWhateverTheColumns() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let viewer = try await scene.client(.viewer)
        let since = try await viewer.head()
        try await scene.setRole(of: .viewer, to: .member)
        let columns = #"{"columns":[{"table":"retro_action_items","columns":["story_points"]}]}"#
        #expect(try await drain(viewer, since: since, columns).ids("retro_action_items") == ["ai1"])
    }

    @Test(
        arguments: [
            (#"{"tables":["nope"]}"#, "nope"), (#"{"columns":[{"table":"nope","columns":[]}]}"#, "nope"),
            (#"{"columns":[{"table":"tasks","columns":["colour"]}]}"#, "colour"),
            (#"{"columns":[{"table":"tasks","columns":["sync_seq"]}]}"#, "sync_seq"),
        ]) func aNameThatIsNotInTheSchemaIsRefusedByName(migration: String, name: String) async throws
    {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["migration": migration])
        #expect(page.status == 400)
        #expect(page.code == "invalid_parameter")
        #expect(page.at("/detail")?.string?.contains("\"\(name)\"") == true)
    }

    @Test func atZeroAMigrationChangesNothing() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let migration = #"{"tables":["tasks"],"columns":[{"table":"risks","columns":["task_ids","server_version"]}]}"#
        let (plain, migrated) = (
            try await member.drain(pageSize: 3), try await drain(member, since: 0, migration, pageSize: 3)
        )
        #expect(plain.rows == migrated.rows && plain.deleted == migrated.deleted)
    }
}
