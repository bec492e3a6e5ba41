import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit
import Testing

/// What a user may leave on the server besides rows is bounded, whoever the user is.
@Suite struct KeptBytesTests {
    private static let lenient: [String: JSON] = ["on_error": "reject_rows"]

    private func entries(_ client: Client) async throws -> [JSON] {
        var (all, after) = ([JSON](), "")
        repeat {
            let page = try await client.send("GET", "/projects/p1/rejected/?limit=500" + after)
            #expect(page.status == 200, "\(page.text)")
            all += page.at("/results")?.array ?? []
            after = page.at("/next")?.string.map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        return all
    }

    @Test func ofALargeValueTheFirstPartIsKept() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let viewer = try await scene.client(.viewer)
        let long = String(repeating: "ä", count: 200_000)
        try await viewer.upload(
            created: [["id": "new", "name": "Kept", "notes": .string(long)]],
            updated: [["id": "t1", "name": "Short", "notes": .string("x" + long)]], members: Self.lenient)
        let entries = try await entries(viewer)
        let whole = entries.first { $0["id"] == "new" }
        #expect(whole?["cut"] == true && whole?["sent"]?["name"] == "Kept" && whole?["sent"]?["id"] == "new")
        let part = whole?["sent"]?["notes"]?.string ?? ""
        #expect(long.hasPrefix(part) && (60_000...65_536).contains(part.utf8.count), "\(part.utf8.count)")
        let field = entries.first { $0["field"] == "notes" }
        let text = field?["sent"]?.string ?? ""
        #expect(field?["cut"] == true && text.hasPrefix("xä") && (65_000...65_536).contains(text.utf8.count))
        let short = entries.first { $0["field"] == "name" }
        #expect(short?["cut"] == false && short?["sent"] == "Short")
    }

    /// The newest entries stay, of each user and project.
    @Test func anInboxHasALimitOfBytes() async throws {
        var settings = SyncSettings()
        settings.inboxMegabytes = 1
        let scene = try await Scene(settings: settings)
        let (viewer, member) = (try await scene.client(.viewer), try await scene.client(.member))
        try await member.upload(created: [["id": "other", "name": 7]], members: Self.lenient)
        let notes = JSON.string(String(repeating: "n", count: 60_000))
        for number in 0..<40 {
            let row: JSON = ["id": .string("v\(number)"), "name": "N", "notes": notes]
            let answer = try await viewer.upload(created: [row], members: Self.lenient)
            #expect(answer.status == 200, "\(answer.text)")
        }
        let ids = try await entries(viewer).compactMap { $0["id"]?.string }
        #expect(ids == (0..<40).suffix(ids.count).map { "v\($0)" })
        #expect((14...17).contains(ids.count), "\(ids.count)")
        #expect(try await entries(member).count == 1)
        // Projects that the author makes up have no inboxes of their own.
        let all = viewer.ofAllProjects
        for number in 0..<40 {
            let row: JSON = [
                "id": .string("w\(number)"), "name": "N", "notes": notes, "project_id": .string("none\(number)"),
            ]
            try await all.upload(created: [row], members: Self.lenient)
        }
        let answer = try await viewer.send("GET", "/api/v1/rejected/?limit=500")
        let none = (answer.at("/results")?.array ?? []).filter { $0["project_id"] == .null }
        #expect((14...17).contains(none.count), "\(none.count)")
    }

    @Test func theSameFieldsAgainHaveTheSameEntries() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for _ in 0..<2 {
            var row: [String: JSON] = ["id": "t1", "name": "N"]
            for field in 0..<100 { row["f\(field)"] = "v" }
            try await member.upload(created: [.object(row)])
        }
        #expect(try await entries(member).count == 65)
    }

    @Test func anIDMayHaveAnyLength() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let id = String((0..<5000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement()! })
        let answer = try await member.upload(created: [["id": .string(id), "name": "N"]], members: Self.lenient)
        #expect(answer.status == 200 && answer.at("/rejected/tasks/0/code") == "invalid_id", "\(answer.text)")
        let entries = try await entries(member)
        #expect(entries.count == 1 && entries[0]["sent"]?["id"] == .string(id))
        #expect(id.hasPrefix(entries[0]["id"]?.string ?? "-"))
    }

    private static let long = String(repeating: "n", count: 900_000)

    /// The values of old edits are forgotten, as after their time. That is no reason to overwrite anything.
    @Test func aUsersHistoryHasALimitOfBytes() async throws {
        var settings = SyncSettings()
        settings.historyMegabytes = 1
        let scene = try await Scene(settings: settings)
        try await scene.insertTasks(["t1", "t2", "t3"], ["notes": .string(Self.long)])
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let since = try await member.head()
        try await admin.upload(updated: [["id": "t2", "name": "Theirs"]])
        #expect(try await admin.patch("tasks", "t3", ["notes": .string("0" + Self.long)]).status == 200)
        for number in 0..<4 {
            try await admin.upload(updated: [["id": "t1", "notes": .string("\(number)" + Self.long)]])
        }
        let bytes = try await scene.bench.store.read { transaction in
            try ["t1", "t3"].flatMap { id in
                try transaction.changes(of: RowKey("tasks", id), since: .commit(.zero), bytes: 64 << 20).elements
            }.reduce(0) { $0 + JSON.object($1.replaced).text.utf8.count }
        }
        #expect((900_000...1 << 20).contains(bytes), "\(bytes)")
        let history = try await member.send("GET", "/tasks/t1/history/")
        #expect(history.at("/results/0/changes/notes/after") == .string("3" + Self.long))
        #expect(history.at("/is_complete") == false && history.at("/results")?.array?.count == 2)
        let merged = try await member.upload(
            updated: ["t1", "t2", "t3"].map {
                ["id": .string($0), "percent_complete": 50, "_changed": "percent_complete"]
            },
            members: ["on_conflict": "merge", "last_pulled_at": .int(since)])
        #expect(merged.at("/applied/tasks/updated")?.array?.map { $0["id"] } == ["t2"], "\(merged.text)")
        #expect(merged.at("/conflicts/tasks")?.array?.count == 2)
    }

    @Test func storedAnswersHaveALimitOfBytes() async throws {
        var settings = SyncSettings()
        settings.answersMegabytes = 1
        let scene = try await Scene(settings: settings)
        let member = try await scene.client(.member)
        func make(_ number: Int, _ notes: String) async throws -> Answer {
            let row: JSON = ["id": .string("t\(number)"), "name": "N", "notes": .string(notes)]
            return try await member.create("tasks", row, headers: ["Idempotency-Key": "k\(number)"])
        }
        for number in 0..<5 {
            #expect(try await make(number, number == 0 ? "" : Self.long).status == 201)
            scene.clock.advance(by: .seconds(1))
        }
        let user = scene.bench.caller(.member).userID
        let kept = try await scene.bench.store.read { transaction in
            try (0..<5).filter { number in
                try transaction.answer(to: .create("k\(number)", project: "p1", userID: user)) != nil
            }
        }
        // Small ones are not counted.
        #expect(kept == [0, 4])
        #expect(try await make(4, Self.long).header("Idempotent-Replayed") == "true")
    }
}
