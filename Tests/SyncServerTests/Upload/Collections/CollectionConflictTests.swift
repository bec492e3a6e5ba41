import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// The rules of conflicts hold for rows of every collection.
@Suite struct CollectionConflictTests {
    /// Two devices of one user that edit one row: a field with a value of each device, and another field.
    struct Contest: Sendable, CustomStringConvertible {
        let collection: String
        let field: String
        let values: [JSON]
        let other: String
        let otherValue: JSON

        init(_ collection: String, _ field: String, _ one: JSON, _ two: JSON, _ other: String, _ otherValue: JSON) {
            (self.collection, self.field, values) = (collection, field, [one, two])
            (self.other, self.otherValue) = (other, otherValue)
        }

        var description: String { collection }
    }

    static let contests = [
        Contest("calendars", "exceptions", [day("2026-01-01")], [day("2026-05-01")], "hours_per_day", 7),
        Contest("sprints", "goal", "one", "two", "name", "Other"),
        Contest("tasks", "notes", "one", "two", "percent_complete", 5),
        Contest("dependencies", "lag", 1, 2, "dep_type", "SS"),
        Contest("risks", "title", "one", "two", "description", "Other"),
        Contest("sprint_retros", "notes", "one", "two", "team_visibility", "org"),
        Contest("retro_action_items", "text", "one", "two", "story_points", 3),
        Contest("task_suggested_assignees", "reason", "one", "two", "source", "other"),
        Contest("task_links", "labels", ["one"], ["two"], "title", "Other"),
        Contest("task_recurrence_rules", "interval", 3, 4, "end_count", 5),
        Contest("time_entries", "note", "one", "two", "minutes", 60),
        Contest("attachments", "name", "one", "two", "media_type", "image/png"),
    ]

    private static func day(_ date: JSON) -> JSON { ["exc_start": date, "exc_end": date] }

    /// A row that two devices of the admin have pulled.
    private struct Pair {
        let contest: Contest
        let client: Client
        let since: Int64

        init(_ contest: Contest) async throws {
            let scene = try await Scene()
            let admin = scene.bench.caller(.admin).userID
            try await scene.insertTasks(["t1"])
            try await scene.bench.plant([Specimen(contest.collection, "x", user: .int(admin))], author: admin)
            (self.contest, client) = (contest, try await scene.client(.admin))
            since = try await client.head()
        }

        func send(
            _ device: JSON, _ fields: [String: JSON], _ mode: JSON, changed: Bool = true
        ) async throws -> Answer {
            var row = fields.merging(["id": "x"]) { $1 }
            if changed { row["_changed"] = .string(fields.keys.sorted().joined(separator: ",")) }
            return try await client.upload(
                contest.collection, updated: [.object(row)],
                members: ["on_conflict": mode, "device_id": device, "last_pulled_at": .int(since)])
        }

        func one(_ edit: [String: JSON] = [:], _ mode: JSON = "overwrite") async throws -> Answer {
            try await send("one", [contest.field: contest.values[0]].merging(edit) { $1 }, mode)
        }

        func two(_ edit: [String: JSON] = [:], _ mode: JSON) async throws -> Answer {
            try await send("two", [contest.field: contest.values[1]].merging(edit) { $1 }, mode)
        }

        func row() async throws -> JSON { try await client.drain().row(contest.collection, "x") ?? .null }
    }

    @Test(arguments: contests) func aMergeKeepsEditsOfDifferentFields(contest: Contest) async throws {
        let pair = try await Pair(contest)
        #expect(try await pair.one().status == 200)
        let answer = try await pair.send("two", [contest.other: contest.otherValue], "merge")
        #expect(answer.at("/conflicts") == [:], "\(answer.text)")
        let row = try await pair.row()
        #expect(row[contest.field] == contest.values[0] && row[contest.other] == contest.otherValue, "\(row.text)")
    }

    /// A list is one value, too: its elements are not merged.
    @Test(arguments: contests) func aMergeLeavesTheRowAloneIfBothEditedOneField(contest: Contest) async throws {
        let pair = try await Pair(contest)
        #expect(try await pair.one().status == 200)
        let answer = try await pair.two([contest.other: contest.otherValue], "merge")
        let conflict = answer.at("/conflicts/\(contest.collection)/0")
        #expect(conflict?["fields"] == [.string(contest.field)], "\(answer.text)")
        #expect(conflict?["server_values"] == [contest.field: contest.values[0]])
        #expect(conflict?["client_values"] == [contest.field: contest.values[1]])
        #expect(try await pair.row()[contest.field] == contest.values[0])
        let entries = try await pair.client.inbox()
        #expect(entries.contains("\(contest.field) conflict \(contest.values[1].text) \(contest.values[0].text)"))
        #expect(entries.count == 2, "\(entries)")
    }

    @Test(arguments: contests) func aRejectFailsWithTheServersValues(contest: Contest) async throws {
        let pair = try await Pair(contest)
        #expect(try await pair.one().status == 200)
        let answer = try await pair.two([:], "reject")
        #expect(answer.verdict == "409 conflict")
        #expect(answer.at("/errors/0/server_values") == [contest.field: contest.values[0]], "\(answer.text)")
    }

    @Test(arguments: contests, [true, false])
    func theNewerEditWinsAndTheOtherGoesToTheInbox(contest: Contest, isLater: Bool) async throws {
        let pair = try await Pair(contest)
        #expect(try await pair.one(["modified_at": "2026-05-02T10:00:00.000Z"]).status == 200)
        let time: JSON = isLater ? "2026-05-03T10:00:00.000Z" : "2026-05-01T10:00:00.000Z"
        let answer = try await pair.two(["modified_at": time], "newest")
        #expect(answer.status == 200, "\(answer.text)")
        let (kept, lost) = isLater ? (contest.values[1], contest.values[0]) : (contest.values[0], contest.values[1])
        #expect(try await pair.row()[contest.field] == kept)
        #expect(try await pair.client.inbox().contains("\(contest.field) overwritten \(lost.text) \(kept.text)"))
    }

    /// A whole row as WatermelonDB pushes it changes only the columns that it names.
    @Test(arguments: contests) func onlyNamedColumnsOfAWholeRowCount(contest: Contest) async throws {
        let pair = try await Pair(contest)
        let whole = try await pair.row()
        #expect(try await pair.one().status == 200)
        let fields: [String: JSON] = [contest.other: contest.otherValue, "_changed": .string(contest.other)]
        let row = JSON.object((whole.object ?? [:]).merging(fields) { $1 })
        let answer = try await pair.client.upload(contest.collection, updated: [row])
        #expect(answer.status == 200, "\(answer.text)")
        let stored = try await pair.row()
        #expect(stored[contest.field] == contest.values[0] && stored[contest.other] == contest.otherValue)
    }

    @Test func everyUploadableCollectionIsContested() throws {
        let names = try Registry.builtIn().collections.filter(\.isUploadable).map(\.name)
        #expect(Self.contests.map(\.collection) == names)
    }
}
