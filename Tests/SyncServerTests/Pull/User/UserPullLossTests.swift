import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// `GET /sync/` while projects come and go.
@Suite struct UserPullLossTests {
    private func scene() async throws -> (Scene, Workbench<EngineStore>, foreign: Workbench<EngineStore>) {
        try await Scene.ofSeveralProjects()
    }

    @Test func aLostProjectIsNamedAndItsIDsAreDeleted() async throws {
        let (scene, other, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = try await all.drain().timestamp
        try await other.setRole(of: .member, to: nil)
        try await other.edit { try $0.insert("tasks", "later", ["name": "Later"]) }
        let page = try await all.page(["since": String(since)])
        #expect(page.json["left_projects"] == [["project_id": "p2", "code": "membership_revoked"]])
        #expect(page.json["changes"]?["tasks"]?["deleted"] == ["t2"])
        #expect(page.json["changes"]?["projects"]?["deleted"] == ["p2"])
        #expect(page.json["heads"] == [:])
        let after = page.json["timestamp"]?.int ?? 0
        // What happens there now is nothing to the user.
        try await other.edit { try $0.update("tasks", "t2", ["name": "Secret"]) }
        let empty = try await all.page(["since": String(after)])
        #expect(empty.json["timestamp"]?.int == after && empty.json["progress"]?["rows"] == 0)
        #expect(empty.json["left_projects"] == [])
        try await other.setRole(of: .member, to: .viewer)
        let again = try await all.drain(since: after)
        #expect(again.ids("tasks") == ["t2", "later"] && again.deleted.isEmpty)
    }

    @Test func aDeletedProjectIsNamedAndAStintThatWasSleptThroughHasNoIDs() async throws {
        let (scene, other, foreign) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = try await all.drain().timestamp
        try await other.items.delete("p2", in: scene.registry.projects, if: .none, by: other.caller(.owner))
        let name = scene.bench.caller(.member).username.rawValue
        try await foreign.members.addMember(name, to: "p9", as: .member)
        let secret = try await foreign.edit { try $0.insert("tasks", "secret", ["name": "Slept"]) }
        #expect(secret != nil)
        try await foreign.removeMember(name)
        let page = try await all.page(["since": String(since)])
        #expect(
            page.json["left_projects"] == [
                ["project_id": "p2", "code": "project_deleted"], ["project_id": "p9", "code": "membership_revoked"],
            ])
        #expect(page.json["changes"]?["tasks"] == ["updated": [], "created": [], "deleted": ["t2"]])
    }

    @Test func aLossBetweenPagesBeginsTheDrainAgain() async throws {
        let (scene, other, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let cursor = try await all.page(["page_size": "3"]).json["next_cursor"]?.string ?? ""
        try await scene.bench.setRole(of: .viewer, to: nil)
        #expect(try await all.page(["page_size": "3", "cursor": cursor]).status == 200, "another's loss is nothing")
        try await other.setRole(of: .member, to: nil)
        let answer = try await all.page(["page_size": "3", "cursor": cursor])
        #expect(answer.status == 400 && answer.json["code"] == "invalid_cursor")
        #expect(try await all.drain().ids("projects") == ["p1"])
    }

    /// Deletions are purged: `json` replaces the project, `watermelondb` can't.
    @Test func aPurgedProjectIsReplaced() async throws {
        let (scene, other, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = try await all.drain().timestamp
        try await other.edit { editor in
            try editor.delete("tasks", "t2")
            try editor.insert("tasks", "t3", ["name": "Three"])
        }
        try await scene.bench.edit { try $0.update("tasks", "t1", ["name": "New"]) }
        try await other.purge()
        let page = try await all.page(["since": String(since)])
        #expect(page.json["replaced"] == ["p2"] && page.json["left_projects"] == [])
        let tasks = (page.json["changes"]?["tasks"]?["updated"]?.array ?? []).map { $0["id"]?.string }
        #expect(tasks == ["t1", "t3"])
        #expect(page.json["changes"]?["projects"]?["updated"]?.array?.count == 1)
        let stock = try await all.page(["since": String(since), "encoding": "watermelondb"])
        #expect(stock.status == 410 && stock.json["code"] == "since_expired")
    }

    /// The pinned head of a project stays what it was, though a purge goes past it.
    @Test func aPurgeBetweenTwoPagesLosesNothing() async throws {
        let (scene, other, _) = try await scene()
        for number in 0..<20 { try await other.edit { try $0.insert("tasks", "x\(number)", ["name": "X"]) } }
        let all = try await scene.client(.member).ofAllProjects
        let drain = try await all.drain(pageSize: 4) { page in
            guard page == 1 else { return }
            try await other.edit { try $0.delete("tasks", "x3") }
            try await other.purge()
        }
        #expect(drain.ids("tasks").count == 21)
        #expect(!drain.ids("tasks").contains("x3"), "it is gone, and the drain names everything that is live")
    }

    /// A client that could not store a drain to its end begins it again. Then a row of a new project is gone.
    @Test func aDrainCanBeRepeatedThoughRowsOfANewProjectWereDeleted() async throws {
        let (scene, _, foreign) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = try await all.drain().timestamp
        try await foreign.edit { try $0.insert("tasks", "before", ["name": "Before"]) }
        try await foreign.edit { try $0.delete("tasks", "before") }
        try await foreign.members.addMember(scene.bench.caller(.member).username.rawValue, to: "p9", as: .member)
        try await foreign.edit { try $0.insert("tasks", "f", ["name": "F"]) }
        #expect(try await all.drain(since: since).ids("tasks") == ["f"])
        try await foreign.edit { try $0.delete("tasks", "f") }
        let again = try await all.drain(since: since)
        #expect(again.deleted == [RowKey("tasks", "f")] && again.ids("projects") == ["p9"])
    }

    /// A user's own rows of an earlier membership are new to the client. Those made since are on the device already.
    @Test func ownRowsOfARegainedProjectAreCreated() async throws {
        let (scene, other, _) = try await scene()
        try await other.edit(as: .member) { try $0.insert("tasks", "mine", ["name": "Mine"]) }
        let all = try await scene.client(.member).ofAllProjects
        try await other.setRole(of: .member, to: nil)
        let since = try await all.drain().timestamp
        try await other.setRole(of: .member, to: .member)
        try await other.edit(as: .member) { try $0.insert("tasks", "new", ["name": "New"]) }
        let page = try await all.page(["since": String(since), "split_created": "true"])
        let tasks = page.json["changes"]?["tasks"]
        #expect(Set((tasks?["created"]?.array ?? []).compactMap { $0["id"]?.string }) == ["t2", "mine"])
        #expect((tasks?["updated"]?.array ?? []).map { $0["id"] } == ["new"])
    }

    /// Every client resyncs once, and not again.
    @Test func aRestoreIsAResyncOnce() async throws {
        let (scene, _, _) = try await scene()
        let since = try await scene.client(.member).ofAllProjects.drain().timestamp
        try scene.backUp()
        let restored = try await scene.restored()
        let all = try await restored.client(.member).ofAllProjects
        #expect(try await all.page(["since": String(since)]).json["code"] == "since_ahead")
        let drain = try await all.drain()
        #expect(drain.ids("projects") == ["p1", "p2"] && drain.timestamp > since)
        let next = try await all.drain(since: drain.timestamp)
        #expect(next.rows.isEmpty && next.deleted.isEmpty && next.timestamp == drain.timestamp)
    }

    /// Rows that the user has made since are on the device that did so, though no drain has had them.
    @Test(arguments: ["left", "deleted"]) func ownRowsOfALostProjectGoWithIt(how: String) async throws {
        let (scene, other, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = try await all.drain().timestamp
        let entry: JSON = ["id": "e", "project_id": "p2", "task": "mine", "minutes": 5, "entry_date": "2026-01-05"]
        let sent = try await all.post([
            "client_batch_id": .string(UUID().uuidString),
            "changes": [
                "tasks": ["created": [["id": "mine", "project_id": "p2", "name": "Mine"]]],
                "time_entries": ["created": [entry]],
            ],
        ])
        #expect(sent.status == 200, "\(sent.text)")
        try await other.edit { try $0.insert("tasks", "theirs", ["name": "Theirs"]) }
        if how == "left" {
            try await other.setRole(of: .member, to: nil)
        } else {
            try await other.items.delete("p2", in: scene.registry.projects, if: .none, by: other.caller(.owner))
        }
        for pageSize in [1, 7, 1000] {
            let drain = try await all.drain(since: since, pageSize: pageSize)
            let rows = drain.deleted.filter { ["tasks", "time_entries"].contains($0.collection) }.map(\.id)
            #expect(Set(rows) == ["t2", "mine", "e"])
        }
    }

    /// The same of a project that the user made after the watermark, and that somebody deleted before the next pull.
    @Test func aProjectThatWasMadeAndLostSinceGoesToo() async throws {
        let (scene, _, _) = try await scene()
        let all = try await scene.client(.member).ofAllProjects
        let since = try await all.drain().timestamp
        let project: JSON = ["id": "new", "name": "Boat", "start_date": "2026-06-01"]
        let sent = try await all.post([
            "client_batch_id": .string(UUID().uuidString),
            "changes": [
                "projects": ["created": [project]],
                "tasks": ["created": [["id": "mine", "project_id": "new", "name": "Mine"]]],
            ],
        ])
        #expect(sent.status == 200, "\(sent.text)")
        #expect(try await scene.client(.member).send("DELETE", "/api/v1/projects/new/").status == 204)
        let drain = try await all.drain(since: since)
        #expect(drain.deleted.contains(RowKey("tasks", "mine")) && drain.deleted.contains(RowKey("projects", "new")))
        #expect(try await all.drain(since: drain.timestamp).deleted.isEmpty)
    }
}

extension Workbench {
    /// Ends the membership of a user who is not one of the workbench's.
    fileprivate func removeMember(_ name: String) async throws {
        let user = try await accounts.users().first { $0.username.rawValue == name }!
        let memberships = registry.memberships
        let rows = try await store.read { transaction in
            try transaction.records(
                in: memberships, project: project, where: memberships.field(named: "user"), holds: .int(user.id))
        }
        for row in rows { try await items.delete(row.id, in: memberships, if: .none, by: caller(.owner)) }
    }
}
