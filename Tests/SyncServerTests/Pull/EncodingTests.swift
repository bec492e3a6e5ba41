import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// `encoding=watermelondb` on pulls.
@Suite struct EncodingTests {
    private static let encoding = ["encoding": "watermelondb"]

    @Test func listsAndObjectsAreTextAndInstantsAreMilliseconds() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.bench.edit { editor in
            try editor.update("tasks", "t1", ["modified_at": "1969-12-31T23:59:59.999Z"])
            try editor.update("task_links", "l1", ["labels": ["a \"b\"", "ü\n"]])
            try editor.update("calendars", "p1-1", ["hours_per_day": 7.5])
        }
        let page = try await scene.client(.member).page(Self.encoding)
        let row = { (collection: String, id: String) in
            page.at("/changes/\(collection)/updated")?.array?.first { $0["id"] == .string(id) }
        }
        #expect(row("task_links", "l1")?["labels"] == #"["a \"b\"","ü\n"]"#)
        #expect(row("task_links", "l1")?["fetched_at"] == .null)
        #expect(row("risks", "r1")?["task_ids"] == #"["t1","t2"]"#)
        #expect(row("tasks", "t1")?["modified_at"] == -1)
        #expect(row("tasks", "t1")?["is_milestone"] == false)
        #expect(row("tasks", "t2")?["modified_at"] == .null)
        #expect(row("sprint_retros", "re1")?["created_at"] == .int(Workbench<ModelStore>.noon.milliseconds))
        #expect(row("sprints", "s1")?["start_date"] == "2026-01-05")
    }

    /// Compares every value of every row with the rule for single values.
    @Test func everyRowIsItsPlainFormEncoded() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let (plain, encoded) = (try await member.page(), try await member.page(Self.encoding))
        for collection in scene.registry.collections {
            let rows = plain.at("/changes/\(collection.name)/updated")?.array ?? []
            let expected = rows.map { row in
                JSON.object(
                    (row.object ?? [:]).reduce(into: [:]) { members, member in
                        let field = collection.field(member.key)
                        members[member.key] =
                            field.map { WireEncoding.watermelondb.encoded(member.value, of: $0) } ?? member.value
                    })
            }
            #expect(encoded.at("/changes/\(collection.name)/updated") == .array(expected), "\(collection.name)")
        }
    }

    @Test func noTombstonesComeAtZeroAndAllOfThemLater() async throws {
        let scene = try await Scene()
        let since = try await scene.client(.member).head()
        try await scene.fill()
        let member = try await scene.client(.member)
        let first = try await member.page(Self.encoding)
        for (name, bucket) in first.at("/changes")?.object ?? [:] { #expect(bucket["deleted"] == [], "\(name)") }
        let later = try await member.page(["since": String(since), "encoding": "watermelondb"])
        #expect(later.at("/changes/tasks/deleted") == ["t-dead"])
        #expect(try await member.page().at("/changes/tasks/deleted") == ["t-dead"])
    }

    @Test(arguments: [Role.viewer, .member]) func progressCountsLiveRows(role: Role) async throws {
        let scene = try await Scene()
        try await scene.insertTasks((0..<30).map { "t\($0)" })
        try await scene.bench.edit { editor in for id in 0..<20 { try editor.delete("tasks", "t\(id)") } }
        let client = try await scene.client(role)
        var parameters = ["page_size": "3", "encoding": "watermelondb"]
        var last: Answer
        repeat {
            last = try await client.page(parameters)
            #expect(last.status == 200)
            parameters["cursor"] = last.at("/next_cursor")?.string
        } while parameters["cursor"] != nil
        #expect(last.at("/progress/rows") == last.at("/progress/total"))
        let json = try await client.page()
        let (rows, all) = (last.at("/progress/rows")?.int ?? 0, json.at("/progress/rows")?.int ?? 0)
        #expect(all == rows + 20)
    }

    @Test func aCursorIsGoodForItsEncodingOnly() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let cursor = try #require(try await member.page(["page_size": "1"]).at("/next_cursor")?.string)
        for other in [Self.encoding, ["split_created": "true"], ["migration": #"{"tables":["tasks"]}"#]] {
            let parameters = ["page_size": "1", "cursor": cursor].merging(other) { $1 }
            #expect(try await member.page(parameters).code == "invalid_cursor", "\(other)")
        }
        let same = ["cursor": cursor, "encoding": "json", "split_created": "false", "migration": "null"]
        #expect(try await member.page(same).status == 200)
    }

    @Test(
        arguments: [
            ("encoding", "xml"), ("encoding", ""), ("split_created", "yes"), ("split_created", "1"),
            ("migration", "{"), ("migration", "[]"), ("migration", #"{"tables":"tasks"}"#),
            ("migration", #"{"from":"1"}"#), ("migration", #"{"columns":[{"table":"tasks","columns":[1]}]}"#),
            ("migration", #"{"columns":[{}]}"#), ("stream", "yes"),
        ]) func aValueThatIsNotServedIsRefused(name: String, value: String) async throws
    {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page([name: value])
        #expect(page.status == 400)
        #expect(page.code == "invalid_parameter")
    }
}
