import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// `GET /sync/` for a client that holds more than its watermark says. WatermelonDB stores rows and watermark in two
/// writes, and the adapter holds the watermark while a batch has no answer.
@Suite struct UserPullLagTests {
    private func scene() async throws -> (Scene, Workbench<EngineStore>, Phone) {
        let (scene, other, _) = try await Scene.ofSeveralProjects()
        return (scene, other, Phone(try await scene.client(.member).ofAllProjects))
    }

    /// What `synchronize()` does with an answer, and nothing else.
    private struct Phone {
        let client: Client
        var rows: Set<RowKey> = []
        var watermark: Int64 = 0

        init(_ client: Client) { self.client = client }

        @discardableResult
        mutating func pull(by pageSize: Int = 1000, isKilled: Bool = false) async throws -> Drain {
            let drain = try await client.drain(since: watermark, pageSize: pageSize, encoding: "watermelondb")
            rows.formUnion(drain.rows.keys)
            rows.subtract(drain.deleted)
            if !isKilled { watermark = drain.timestamp }
            return drain
        }

        func page(_ encoding: String) async throws -> Answer {
            try await client.page(["since": String(watermark), "encoding": encoding])
        }

        func ids(_ collection: String) -> Set<String> { Set(rows.filter { $0.collection == collection }.map(\.id)) }
    }

    /// Sprints and retros, open and closed, hours of the owner, and a task.
    private func fill(_ bench: Workbench<EngineStore>, _ name: String) async throws {
        try await bench.edit { editor in
            try editor.insert("tasks", "t-\(name)", ["name": "T"])
            for kind in ["open", "shut"] {
                let id = "\(kind)-\(name)"
                let dates: [String: JSON] = ["start_date": "2026-01-05", "finish_date": "2026-01-16"]
                try editor.insert("sprints", id, dates.merging(["name": "S"]) { $1 })
                let sight: JSON = kind == "open" ? "project" : "team_only"
                try editor.insert("sprint_retros", id, ["sprint": .string(id), "team_visibility": sight])
            }
            let user = JSON.int(bench.caller(.owner).userID)
            let hours: [String: JSON] = [
                "task": .string("t-\(name)"), "user": user, "minutes": 5, "entry_date": "2026-01-05",
            ]
            try editor.insert("time_entries", "e-\(name)", hours)
        }
    }

    @Test(arguments: ["left", "deleted"], [1, 2, 1000])
    func rowsThatWereStoredWithoutAWatermarkGoWithTheProject(how: String, pageSize: Int) async throws {
        var (scene, other, phone) = try await scene()
        try await other.setRole(of: .member, to: nil)
        try await phone.pull()
        try await fill(other, "a")
        try await other.setRole(of: .member, to: .viewer)
        try await phone.pull(isKilled: true)
        #expect(phone.ids("tasks") == ["t1", "t2", "t-a"] && phone.ids("sprint_retros") == ["open-a"])
        try await other.edit { try $0.delete("tasks", "t2") }
        if how == "left" {
            try await other.setRole(of: .member, to: nil)
            try await fill(other, "b")
        } else {
            try await other.items.delete("p2", in: scene.registry.projects, if: .none, by: other.caller(.owner))
        }
        let drain = try await phone.pull(by: pageSize)
        #expect(phone.ids("tasks") == ["t1"] && phone.ids("projects") == ["p1"])
        let secret = [
            RowKey("sprint_retros", "shut-a"), RowKey("time_entries", "e-a"), RowKey("tasks", "t-b"),
            RowKey("sprint_retros", "open-b"), RowKey("sprint_retros", "shut-b"), RowKey("time_entries", "e-b"),
        ]
        #expect(drain.deleted.isDisjoint(with: secret), "\(drain.deleted)")
        #expect(drain.isDeleted("sprint_retros", "open-a"))
        #expect(try await phone.pull().deleted.isEmpty)
    }

    /// Between two memberships a retro is open. A viewer never saw it.
    @Test(arguments: [1, 3, 1000]) func idsOfAllMembershipsSinceGoAndNoneOfTheTimeBetween(pageSize: Int) async throws {
        var (_, other, phone) = try await scene()
        try await other.setRole(of: .member, to: nil)
        try await phone.pull()
        for name in ["a", "b"] {
            try await other.setRole(of: .member, to: .viewer)
            try await fill(other, name)
            try await phone.pull(isKilled: true)
            try await other.setRole(of: .member, to: nil)
            try await other.edit { editor in
                try editor.update("sprint_retros", "shut-\(name)", ["team_visibility": "project"])
            }
            try await other.edit { editor in
                try editor.update("sprint_retros", "shut-\(name)", ["team_visibility": "team_only"])
                try editor.delete("sprint_retros", "open-\(name)")
            }
        }
        try await phone.pull(by: pageSize, isKilled: true)
        #expect(phone.ids("projects") == ["p1"] && phone.ids("tasks") == ["t1"] && phone.ids("sprint_retros") == [])
        let drain = try await phone.pull(by: pageSize)
        #expect(drain.isDeleted("sprint_retros", "open-a") && drain.isDeleted("sprint_retros", "open-b"))
        #expect(!drain.isDeleted("sprint_retros", "shut-a") && !drain.isDeleted("sprint_retros", "shut-b"))
        #expect(!drain.isDeleted("time_entries", "e-a") && drain.isDeleted("tasks", "t2"))
    }

    @Test(arguments: [1, 2, 1000]) func aProjectThatCameBackIsServedWhole(pageSize: Int) async throws {
        var (_, other, phone) = try await scene()
        try await fill(other, "a")
        try await phone.pull()
        #expect(phone.ids("sprint_retros") == ["open-a", "shut-a"])
        try await other.setRole(of: .member, to: nil)
        try await phone.pull(isKilled: true)
        #expect(phone.ids("tasks") == ["t1"])
        try await other.edit { try $0.delete("tasks", "t2") }
        try await other.setRole(of: .member, to: .viewer)
        let before = phone.rows
        for _ in 0..<2 {
            let drain = try await phone.pull(by: pageSize, isKilled: true)
            #expect(phone.ids("tasks") == ["t1", "t-a"] && phone.ids("sprint_retros") == ["open-a"])
            #expect(phone.ids("sprints") == ["open-a", "shut-a"])
            #expect(drain.isDeleted("tasks", "t2") && drain.isDeleted("sprint_retros", "shut-a"))
            phone.rows = before
        }
        try await phone.pull(by: pageSize)
        let second = try await phone.pull()
        #expect(second.rows.isEmpty && second.deleted.isEmpty)
    }

    /// Page by page and in other encodings, `left_projects` tells of the loss before the rows go.
    @Test func aClientThatReplacesProjectsGetsWhatChanged() async throws {
        let (scene, other, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = try await all.drain().timestamp
        try await other.setRole(of: .member, to: nil)
        try await other.setRole(of: .member, to: .member)
        let page = try await all.page(["since": String(since)]).json
        #expect(page["left_projects"] == [] && page["replaced"] == nil)
        #expect(page["changes"]?["tasks"]?["updated"] == [])
    }

    /// A user who made a project was a member from its first commit on.
    @Test func whatANewProjectsMakerMayNoLongerSeeGoes() async throws {
        var (scene, _, phone) = try await scene()
        try await phone.pull()
        let sent = try await phone.client.post([
            "client_batch_id": .string(UUID().uuidString),
            "changes": ["projects": ["created": [["id": "new", "name": "Boat", "start_date": "2026-06-01"]]]],
        ])
        #expect(sent.status == 200, "\(sent.text)")
        let made = try await scene.bench.existing("new")
        try await made.setRole(of: .owner, to: .owner)
        try await fill(made, "n")
        try await phone.pull(isKilled: true)
        #expect(phone.ids("sprint_retros") == ["open-n", "shut-n"])
        try await made.setRole(of: .member, to: .viewer)
        let drain = try await phone.pull(by: 3)
        #expect(phone.ids("sprint_retros") == ["open-n"] && drain.isDeleted("sprint_retros", "shut-n"))
    }

    // MARK: What was purged

    @Test(arguments: ["a task", "the project"], ["made", "joined"])
    func whatWasPurgedOfANewProjectIsNotPassedOver(what: String, how: String) async throws {
        var (scene, other, phone) = try await scene()
        if how == "joined" { try await other.setRole(of: .member, to: nil) }
        try await phone.pull()
        var bench = other
        if how == "joined" {
            try await other.setRole(of: .member, to: .admin)
            try await phone.pull(isKilled: true)
        } else {
            let sent = try await phone.client.post([
                "client_batch_id": .string(UUID().uuidString),
                "changes": [
                    "projects": ["created": [["id": "new", "name": "Boat", "start_date": "2026-06-01"]]],
                    "tasks": ["created": [["id": "mine", "project_id": "new", "name": "Mine"]]],
                ],
            ])
            #expect(sent.status == 200, "\(sent.text)")
            bench = try await scene.bench.existing("new")
        }
        let author = bench.caller(how == "made" ? .member : .owner)
        if what == "a task" {
            let id = how == "made" ? "mine" : "t2"
            try await bench.items.delete(id, in: scene.registry.collection("tasks"), if: .none, by: author)
        } else {
            try await bench.items.delete(bench.project, in: scene.registry.projects, if: .none, by: author)
        }
        try await bench.purge()
        let stock = try await phone.page("watermelondb")
        #expect(stock.status == 410 && stock.json["code"] == "since_expired")
        let page = try await phone.page("json").json
        let left: JSON = [["project_id": .string(bench.project), "code": "project_deleted"]]
        #expect(page["left_projects"] == (what == "a task" ? [] : left))
        #expect(page["replaced"] == (what == "a task" ? [.string(bench.project)] : nil))
        let push = try await phone.client.post([
            "client_batch_id": .string(UUID().uuidString), "last_pulled_at": .int(phone.watermark),
            "changes": ["tasks": ["updated": [["id": "mine", "project_id": .string(bench.project), "name": "Ghost"]]]],
        ])
        if what == "a task" { #expect(push.status == 410, "\(push.text)") }
    }

    /// A purge before the user joined is nothing to the client.
    @Test func aPurgeFromBeforeTheMembershipIsNoReasonToBeginAgain() async throws {
        var (_, other, phone) = try await scene()
        try await other.setRole(of: .member, to: nil)
        try await phone.pull()
        try await other.edit { try $0.delete("tasks", "t2") }
        try await other.purge()
        try await other.setRole(of: .member, to: .member)
        try await phone.pull(isKilled: true)
        #expect(phone.ids("projects") == ["p1", "p2"])
    }

    // MARK: What the client is told

    @Test(arguments: ["json", "watermelondb"])
    func aProjectThatTheCallerHasIsNotLeft(encoding: String) async throws {
        var (_, other, phone) = try await scene()
        try await other.setRole(of: .member, to: nil)
        try await phone.pull()
        for role in [Role.member, nil, .member] { try await other.setRole(of: .member, to: role) }
        let page = try await phone.page(encoding).json
        #expect(page["left_projects"] == [] && page["replaced"] == (encoding == "json" ? ["p2"] : nil))
        #expect((page["changes"]?["tasks"]?["updated"]?.array ?? []).map { $0["id"] } == ["t2"])
        try await other.setRole(of: .member, to: nil)
        let gone = try await phone.page(encoding).json
        #expect(gone["left_projects"] == [["project_id": "p2", "code": "membership_revoked"]])
    }
}
