import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// A phone that has worked offline in every collection uploads it all.
@Suite struct WholeAppTests {
    /// New rows of all twelve collections that refer to each other, children before parents.
    static func changes(user: JSON) -> [String: [JSON]] {
        [
            "attachments": [["id": "at", "task": "b", "name": "photo.jpg", "preview": "/9j/4A=="]],
            "time_entries": [["id": "te", "task": "b", "minutes": 30, "entry_date": "2026-01-05"]],
            "task_recurrence_rules": [["id": "rr", "task": "a", "frequency": "DAILY"]],
            "task_links": [["id": "l", "task": "b", "url": "https://github.com/a/b", "labels": ["x", "y"]]],
            "task_suggested_assignees": [["id": "sa", "task": "b", "suggested_user": user]],
            "retro_action_items": [["id": "ai", "retro": "re", "text": "Do", "promoted_task_id": "a"]],
            "sprint_retros": [["id": "re", "sprint": "s", "notes": "Went well"]],
            "risks": [["id": "r", "title": "Rain", "probability": 4, "impact": 2, "task_ids": ["b", "a"]]],
            "dependencies": [["id": "d", "predecessor": "a", "successor": "b", "lag": -2]],
            "tasks": [
                ["id": "w", "name": "North wall", "parent": "a"],
                ["id": "b", "name": "Paint", "sprint": "s", "assignee": user], ["id": "a", "name": "Walls"],
            ],
            "sprints": [["id": "s", "name": "One", "start_date": "2026-01-05", "finish_date": "2026-01-16"]],
            "calendars": [["id": "c", "name": "Night shift", "working_days": 96]],
        ]
    }

    private static func buckets(_ rows: [String: [JSON]], _ bucket: String = "created") -> JSON {
        .object(rows.mapValues { [bucket: .array($0)] })
    }

    @Test func newRowsOfAllCollectionsReferToEachOtherInOneBatch() async throws {
        let scene = try await Scene()
        let phone = try await scene.client(.scheduler)
        let rows = Self.changes(user: scene.userID(.viewer))
        let uploadable = scene.registry.collections.filter(\.isUploadable).map(\.name)
        #expect(rows.keys.sorted() == uploadable.sorted())

        // A scheduler may do everything here but make a calendar, which is left out.
        let answer = try await phone.upload(members: ["changes": Self.buckets(rows), "on_error": "repair"])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/rejected_ids") == ["calendars": ["c"]])
        #expect(answer.at("/rejected/calendars/0/code") == "forbidden")
        for (name, sent) in rows where name != "calendars" {
            #expect(answer.at("/applied/\(name)/created")?.array?.count == sent.count, "\(name): \(answer.text)")
        }

        let own = try await phone.drain()
        let other = try await scene.client(.admin).drain()
        for (name, sent) in rows where name != "calendars" {
            for row in sent {
                let id = row["id"]?.string ?? ""
                let stored = try #require(own.row(name, id), "\(name)")
                for (field, value) in row.object ?? [:] { #expect(stored[field] == value, "\(name).\(field)") }
                // Nobody else gets a time entry.
                #expect(other.rows.keys.contains(RowKey(name, id)) == (name != "time_entries"), "\(name)")
                #expect(other.row(name, id).map { $0 == stored } != false, "\(name)")
                #expect(try await phone.read(name, id).json.of(project: "p1") == stored, "\(name)")
            }
        }
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    @Test func editsAndDeletesOfAllCollectionsAreOneCommit() async throws {
        let scene = try await Scene()
        let phone = try await scene.client(.owner)
        let rows = Self.changes(user: scene.userID(.admin))
        try await phone.upload(members: ["changes": Self.buckets(rows)])
        let edits = rows.mapValues { rows in
            rows.map { row -> JSON in
                let id = row["id"] ?? .null
                return .object(["id": id, "modified_at": "2026-05-01T10:00:00.000Z"])
            }
        }
        let before = try await scene.bench.head()
        let answer = try await phone.upload(members: ["changes": Self.buckets(edits, "updated")])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await scene.bench.head().rawValue == before.rawValue + 1)
        for (key, row) in try await phone.drain(since: before.rawValue).rows {
            #expect(row["modified_at"] == "2026-05-01T10:00:00.000Z", "\(key)")
            #expect(row["server_version"] == 2, "\(key)")
        }

        let gone = rows.mapValues { $0.compactMap { $0["id"] } }
        let deletes = try await phone.upload(members: ["changes": Self.buckets(gone, "deleted")])
        #expect(deletes.status == 200, "\(deletes.text)")
        let drain = try await phone.drain(since: before.rawValue)
        for (name, ids) in gone {
            #expect(
                Set(ids.compactMap(\.string)).isSubset(of: drain.deleted.filter { $0.collection == name }.map(\.id)))
        }
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    @Test func rowsBelowAParentThatDiedMeanwhileAreTombstones() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (phone, other) = (try await scene.client(.scheduler), try await scene.client(.admin))
        try await other.upload(deleted: ["t1"])
        let rows: [String: [JSON]] = [
            "dependencies": [["id": "d9", "predecessor": "t1", "successor": "t3"]],
            "task_links": [["id": "l9", "task": "t1", "url": "https://example.org/"]],
            "task_recurrence_rules": [["id": "rr9", "task": "t1", "frequency": "DAILY"]],
            "time_entries": [["id": "te9", "task": "t1", "minutes": 5, "entry_date": "2026-01-05"]],
            "risks": [["id": "r9", "title": "R", "probability": 1, "impact": 1, "task_ids": ["t1", "t2"]]],
        ]
        let answer = try await phone.upload(members: ["changes": Self.buckets(rows)])
        #expect(answer.status == 200, "\(answer.text)")
        let drain = try await phone.drain()
        for (name, sent) in rows where name != "risks" {
            let id = sent[0]["id"]?.string ?? ""
            #expect(answer.at("/skipped/\(name)/0/code") == "parent_deleted", "\(name)")
            #expect(drain.isDeleted(name, id), "\(name)")
        }
        #expect(answer.at("/repaired/risks/0/to") == ["t2"])
        #expect(drain.row("risks", "r9")?["task_ids"] == ["t2"])
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    @Test func aMembersDependencyIsLeftOutAndTheRestApplies() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        let changes: JSON = [
            "dependencies": ["created": [["id": "d", "predecessor": "t1", "successor": "new"]]],
            "tasks": ["created": [["id": "new", "name": "New"]]],
            "time_entries": ["created": [["id": "te", "task": "new", "minutes": 5, "entry_date": "2026-01-05"]]],
        ]
        let refused = try await member.upload(members: ["changes": changes])
        #expect(refused.verdict == "403 forbidden")
        #expect(refused.errors == ["/changes/dependencies/created/0 forbidden"])
        let answer = try await member.upload(members: ["changes": changes, "on_error": "repair"])
        #expect(answer.at("/rejected_ids") == ["dependencies": ["d"]])
        #expect(answer.at("/applied/time_entries/created/0/id") == "te")
        #expect(try await member.inbox().count == 1)
        #expect(try await member.drain().ids("tasks") == ["t1", "t2", "new"])
    }

    @Test func refusalsOfSeveralKindsFailABatchAsInvalidRows() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        let changes: JSON = [
            "dependencies": ["created": [["id": "d", "predecessor": "t1", "successor": "t2"]]],
            "risks": ["created": [["id": "r", "title": "R", "probability": 9, "impact": 1]]],
        ]
        let answer = try await member.upload(members: ["changes": changes])
        #expect(answer.verdict == "400 invalid_rows")
        #expect(
            Set(answer.errors) == [
                "/changes/dependencies/created/0 forbidden", "/changes/risks/created/0/probability out_of_range",
            ])
    }

    @Test func aViewerAcceptsASuggestionThatNamesThemAndSaysWhen() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let (viewer, member) = (try await scene.client(.viewer), try await scene.client(.member))
        for id in ["mine", "other"] {
            let user = scene.userID(id == "mine" ? .viewer : .admin)
            let fields: JSON = ["id": .string(id), "task": "t1", "suggested_user": user]
            #expect(try await member.create("task_suggested_assignees", fields).status == 201)
        }
        let rows = ["mine", "other"].map { id -> JSON in
            ["id": .string(id), "state": "accepted", "modified_at": "2026-05-01T10:00:00.000Z"]
        }
        let answer = try await viewer.upload(
            "task_suggested_assignees", updated: rows, members: ["on_error": "reject_rows"])
        #expect(answer.at("/applied/task_suggested_assignees/updated/0/id") == "mine", "\(answer.text)")
        #expect(answer.at("/rejected/task_suggested_assignees/0/code") == "field_forbidden")
        let mine = try await viewer.read("task_suggested_assignees", "mine").json
        #expect(mine["state"] == "accepted" && mine["modified_at"] == "2026-05-01T10:00:00.000Z")
        #expect(mine["accepted_at"]?.string != nil)
        // The reason stays the suggester's.
        let reason = try await viewer.upload(
            "task_suggested_assignees", updated: [["id": "mine", "reason": "x"]])
        #expect(reason.verdict == "403 field_forbidden")
    }

    @Test func twoPhonesThatMakeTheRetroOfASprintLearnOfEachOther() async throws {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        let (one, two) = (try await scene.client(.member), try await scene.client(.scheduler))
        try await one.upload("sprint_retros", created: [["id": "re1", "sprint": "s1"]])
        let changes: JSON = [
            "sprint_retros": ["created": [["id": "re2", "sprint": "s1"]]],
            "retro_action_items": ["created": [["id": "ai2", "retro": "re2", "text": "Do"]]],
        ]
        let answer = try await two.upload(members: ["changes": changes, "on_error": "repair"])
        #expect(answer.at("/rejected/sprint_retros/0/existing") == "re1", "\(answer.text)")
        #expect(answer.at("/rejected_ids") == ["sprint_retros": ["re2"], "retro_action_items": ["ai2"]])
    }
}
