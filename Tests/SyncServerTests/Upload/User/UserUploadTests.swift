import Foundation
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// `POST /sync/`: one batch with rows of several projects.
@Suite struct UserUploadTests {
    private let scene: Scene
    /// The projects `p1` to `p3`, with a task each: `t1` to `t3`.
    private let benches: [Workbench<EngineStore>]
    private let phone: Client

    init() async throws {
        scene = try await Scene()
        benches = [scene.bench, try await scene.bench.another("p2"), try await scene.bench.another("p3")]
        for (index, bench) in benches.enumerated() {
            try await bench.edit { try $0.insert("tasks", "t\(index + 1)", ["name": "Task"]) }
        }
        phone = try await scene.client(.member).ofAllProjects
    }

    private func heads() async throws -> [Int64] {
        try await scene.bench.store.read { transaction in
            try ["p1", "p2", "p3"].map { try transaction.project($0)!.head.rawValue }
        }
    }

    private static func task(_ id: String, in project: String?) -> JSON {
        var task: [String: JSON] = ["id": .string(id), "name": "New"]
        task["project_id"] = project.map(JSON.string)
        return .object(task)
    }

    /// A new task in each project, an edit in the first and a delete in the last.
    private func batch(_ mode: String, id: String = UUID().uuidString, since: Int64? = nil) async throws -> Answer {
        var members: [String: JSON] = ["on_error": .string(mode)]
        members["last_pulled_at"] = since.map(JSON.int)
        return try await phone.upload(
            created: (1...3).map { Self.task("n\($0)", in: "p\($0)") }, updated: [["id": "t1", "name": "Edited"]],
            deleted: ["t3"], batch: id, members: members)
    }

    @Test func rowsOfSeveralProjectsAreOneTransaction() async throws {
        let before = try await heads()
        let since = try await phone.drain().timestamp
        let id = UUID().uuidString
        let answer = try await batch("reject_batch", id: id, since: since)
        #expect(answer.status == 200 && answer.json["timestamp"] == .null, "\(answer.text)")
        let after = try await heads()
        #expect(after == before.map { $0 + 1 })
        #expect(
            answer.json["timestamps"] == [
                "p1": .int(after[0]), "p2": .int(after[1]), "p3": .int(after[2]),
            ])
        let applied = answer.at("/applied/tasks")
        #expect(applied?["created"]?.array?.count == 3 && applied?["deleted"] == ["t3"])
        let drain = try await phone.drain(since: since)
        #expect(drain.ids("tasks") == ["n1", "n2", "n3", "t1"] && drain.deleted == [RowKey("tasks", "t3")])
        #expect(drain.timestamp == since + 1, "one commit of the installation")
        let again = try await batch("reject_batch", id: id, since: since)
        #expect(again.text == answer.text && again.header("Idempotent-Replayed") == "true")
        #expect(try await heads() == after)
    }

    @Test(arguments: ["archived", "lost", "deleted"]) func aProjectThatCanNotBeWrittenToFailsTheBatch(
        what: String
    ) async throws {
        let code = try await spoil(benches[1], what)
        let before = try await heads()
        let answer = try await batch("reject_batch")
        let errors = answer.json["errors"]?.array ?? []
        #expect(errors.map { $0["id"] } == ["n2"] && errors[0]["code"] == .string(code), "\(answer.text)")
        #expect(errors[0]["pointer"] == "/changes/tasks/created/1")
        #expect(try await heads() == before)
        #expect(try await phone.drain().row("tasks", "n1") == nil)
    }

    @Test(arguments: ["archived", "lost", "deleted"], ["reject_rows", "repair"])
    func theOthersApplyAndNothingIsWrittenThere(what: String, mode: String) async throws {
        try await benches[1].edit { try $0.insert("tasks", "t2b", ["name": "Task"]) }
        let code = try await spoil(benches[1], what)
        let before = try await heads()
        let answer = try await phone.upload(
            created: (1...3).map { Self.task("n\($0)", in: "p\($0)") },
            updated: [["id": "t1", "name": "Edited"], ["id": "t2", "name": "Edited there"]], deleted: ["t2b"],
            members: ["on_error": .string(mode)])
        #expect(answer.status == 200, "\(answer.text)")
        let after = try await heads()
        #expect(after[1] == before[1] && after[0] == before[0] + 1 && after[2] == before[2] + 1)
        #expect(answer.json["timestamps"] == ["p1": .int(after[0]), "p3": .int(after[2])])
        // A delete in a deleted project is done already.
        let ids: Set<String> = what == "deleted" ? ["n2", "t2"] : ["n2", "t2", "t2b"]
        #expect(Set((answer.at("/rejected_ids/tasks") ?? []).strings) == ids, "\(answer.text)")
        let rejected = answer.at("/rejected/tasks")?.array ?? []
        #expect(rejected.count == ids.count && rejected.allSatisfy { $0["code"] == .string(code) })
        #expect((answer.at("/skipped/tasks")?.array ?? []).map { $0["id"] } == (what == "deleted" ? ["t2b"] : []))
        // The member finds the edits again, though the project may be lost, and lets one go.
        let inbox = try await phone.send("GET", "/api/v1/rejected/").json["results"]?.array ?? []
        #expect(Set(inbox.compactMap { $0["id"]?.string }) == ids)
        #expect(inbox.allSatisfy { $0["kept"] == .null && $0["project_id"] == "p2" && $0["code"] == .string(code) })
        #expect(inbox.first { $0["id"] == "t2" }?["sent"]?["name"] == "Edited there")
        #expect(try await phone.send("DELETE", "/api/v1/rejected/t2/").status == 204)
        #expect(try await phone.send("DELETE", "/api/v1/sync/rejected/t2/").status == 404)
        let left = try await phone.send("GET", "/api/v1/sync/rejected/").json["results"]?.array ?? []
        #expect(left.count == inbox.count - 1)
        #expect(try await scene.client(.admin).send("GET", "/api/v1/rejected/").json["results"] == [])
    }

    /// Makes the project one that the member can't write to. Returns the code.
    private func spoil(_ bench: Workbench<EngineStore>, _ what: String) async throws -> String {
        switch what {
        case "archived":
            _ = try await bench.items.archive(true, project: bench.project, by: bench.caller(.owner))
            return "project_archived"
        case "lost":
            try await bench.setRole(of: .member, to: nil)
            return "membership_revoked"
        default:
            try await bench.items.delete(
                bench.project, in: bench.registry.projects, if: .none, by: bench.caller(.owner))
            return "project_deleted"
        }
    }

    @Test func aNewRowNamesItsProjectAndAKnownRowHasItsOwn() async throws {
        let none = try await phone.upload(created: [Self.task("n", in: nil)])
        #expect(none.status == 400 && none.at("/errors/0/code") == "required")
        #expect(none.at("/errors/0/field") == "project_id")
        let wrong = try await phone.upload(updated: [["id": "t1", "name": "X", "project_id": "p2"]])
        #expect(wrong.at("/errors/0/code") == "id_unavailable", "\(wrong.text)")
        let nowhere = try await phone.upload(created: [Self.task("n", in: "nowhere")])
        #expect(nowhere.at("/errors/0/code") == "not_found", "\(nowhere.text)")
        let known = try await phone.upload(updated: [["id": "t2", "name": "Y"]])
        #expect(known.status == 200 && known.json["timestamps"]?.object?.keys.map { $0 } == ["p2"])
        let unknown = try await phone.upload(deleted: ["never"])
        #expect(unknown.status == 200 && unknown.at("/skipped/tasks/0/code") == "not_found")
    }

    /// What is said of a row that is sent to another project depends on whether the sender sees it.
    @Test func aRowThatCantMoveIsToldInWords() async throws {
        let wrong = try await phone.upload(updated: [["id": "t1", "name": "X", "project_id": "p2"]])
        #expect(wrong.at("/errors/0/detail")?.string?.hasPrefix("A row can't move to another project.") == true)
        try await scene.bench.edit(as: .admin) { editor in
            try editor.insert("time_entries", "hidden", ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"])
        }
        let entry: JSON = ["id": "hidden", "task": "t2", "minutes": 5, "entry_date": "2026-01-05", "project_id": "p2"]
        let hidden = try await phone.upload("time_entries", created: [entry])
        #expect(hidden.at("/errors/0/code") == "id_unavailable", "\(hidden.text)")
        #expect(hidden.at("/errors/0/detail")?.string?.contains("another project") == false, "\(hidden.text)")
    }

    @Test(arguments: ["-t", "_t", ".t"]) func anIDThatBeginsWrongIsToldHowItBegins(id: String) async throws {
        let answer = try await phone.upload(created: [Self.task(id, in: "p1")])
        #expect(answer.at("/errors/0/code") == "invalid_id")
        #expect(answer.at("/errors/0/detail")?.string?.contains("the first a letter or digit") == true)
    }

    /// An id in a project of others is like any id that can't be used, and its project is not told.
    @Test func aForeignRowIsUnavailable() async throws {
        let foreign = try await scene.otherProject("p9")
        try await foreign.edit { try $0.insert("tasks", "f", ["name": "Foreign"]) }
        let named = try await phone.upload(created: [Self.task("f", in: "p1")], members: ["on_error": "repair"])
        #expect(named.at("/rejected/tasks/0/code") == "id_unavailable", "\(named.text)")
        #expect(named.at("/rejected_ids/tasks") == ["f"])
        let unnamed = try await phone.upload(updated: [["id": "f", "name": "X"]])
        #expect(unnamed.at("/errors/0/code") == "required")
        #expect(try await phone.upload(deleted: ["f"]).at("/skipped/tasks/0/code") == "not_found")
        let there = try await phone.upload(created: [Self.task("g", in: "p9")])
        #expect(there.at("/errors/0/code") == "not_a_member")
    }

    /// A row can't refer to a row of another project, though both are in the batch.
    @Test func projectsCanNotReferToEachOther() async throws {
        let answer = try await phone.upload(
            created: [
                Self.task("a", in: "p1"), ["id": "b", "name": "B", "project_id": "p2", "parent": "a"],
            ])
        #expect(answer.at("/errors/0/code") == "unknown_reference" && answer.at("/errors/0/id") == "b")
    }

    @Test func theWatermarkIsTestedForTheProjectsOfTheBatch() async throws {
        let since = try await phone.drain().timestamp
        try await benches[1].edit { try $0.delete("tasks", "t2") }
        try await benches[1].purge()
        let fine = try await phone.upload(
            updated: [["id": "t1", "name": "X"]], members: ["last_pulled_at": .int(since)])
        #expect(fine.status == 200, "\(fine.text)")
        let late = try await phone.upload(
            created: [Self.task("n", in: "p2")], members: ["last_pulled_at": .int(since)])
        #expect(late.status == 410 && late.json["code"] == "since_expired")
        for wrong in [7, since + 1000] {
            let answer = try await phone.upload(
                updated: [["id": "t1", "name": "Y"]], members: ["last_pulled_at": .int(wrong)])
            #expect(answer.status == 409 && answer.json["code"] == "since_ahead", "\(answer.text)")
        }
    }

    @Test func aConflictIsFoundByTheHeadAtTheWatermark() async throws {
        let since = try await phone.drain().timestamp
        try await benches[1].edit { try $0.update("tasks", "t2", ["name": "Theirs"]) }
        let changes: [JSON] = [["id": "t1", "name": "Mine"], ["id": "t2", "name": "Mine"]]
        let refused = try await phone.upload(
            updated: changes, members: ["last_pulled_at": .int(since), "on_conflict": "reject"])
        #expect(refused.status == 409 && refused.json["code"] == "conflict", "\(refused.text)")
        #expect(refused.at("/errors")?.array?.map { $0["id"] } == ["t2"])
        let merged = try await phone.upload(
            updated: changes, members: ["last_pulled_at": .int(since), "on_conflict": "merge"])
        #expect(merged.at("/applied/tasks/updated")?.array?.map { $0["id"] } == ["t1"])
        #expect(merged.at("/conflicts/tasks/0/id") == "t2", "\(merged.text)")
    }

    /// A batch of a project and one of all projects are two, though they have one id.
    @Test func aBatchOfAllProjectsIsNotThatOfAProject() async throws {
        let id = UUID().uuidString
        let single = try await scene.client(.member).upload(updated: [["id": "t1", "name": "One"]], batch: id)
        let all = try await phone.upload(updated: [["id": "t1", "name": "Two"]], batch: id)
        #expect(single.status == 200 && all.status == 200 && all.header("Idempotent-Replayed") == nil)
        let other = try await phone.upload(updated: [["id": "t1", "name": "Three"]], batch: id)
        #expect(other.json["code"] == "batch_id_reused")
    }

    /// An id in several buckets is created, then updated, then deleted, as in a batch of one project.
    @Test func aNewRowThatTheBatchAlsoChangesAndDeletesIsOfOneProject() async throws {
        let answer = try await phone.upload(
            created: [Self.task("a", in: "p2"), Self.task("b", in: "p2")],
            updated: [["id": "a", "name": "Changed"]], deleted: ["b"])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["timestamps"]?.object?.keys.map { $0 } == ["p2"])
        let drain = try await phone.drain()
        #expect(drain.row("tasks", "a")?["name"] == "Changed" && drain.row("tasks", "b") == nil)
    }

    /// A row that can't be read is refused like its neighbours, whatever is wrong with its project.
    @Test(arguments: ["archived", "lost", "deleted"], ["reject_batch", "reject_rows", "repair"])
    func aRowThatCanNotBeReadIsNotForgotten(what: String, mode: String) async throws {
        _ = try await spoil(benches[1], what)
        let answer = try await phone.upload(
            updated: [["id": "t2", "name": "Edited", "base_version": 0], ["id": "t1", "name": "Edited"]],
            members: ["on_error": .string(mode)])
        let codes = mode == "reject_batch" ? answer.at("/errors/0/code") : answer.at("/rejected/tasks/0/code")
        #expect(codes == "wrong_type", "\(answer.text)")
        #expect(mode == "reject_batch" || answer.at("/rejected_ids/tasks") == ["t2"], "\(answer.text)")
    }

    /// A row that the caller can't see looks like one that does not exist, whatever is wrong with its project.
    @Test(arguments: ["archived", "lost", "deleted"]) func aHiddenRowIsNotTold(what: String) async throws {
        let entry: [String: JSON] = ["task": "t2", "minutes": 5, "entry_date": "2026-01-05"]
        try await benches[1].edit(as: .owner) { try $0.insert("time_entries", "hidden", entry) }
        if what == "lost" { _ = try await spoil(benches[1], what) }
        // A member who is gone does not see what came later.
        try await benches[1].edit { try $0.insert("tasks", "later", ["name": "Later"]) }
        if what != "lost" { _ = try await spoil(benches[1], what) }
        var rows = [("time_entries", "hidden", "never")]
        if what == "lost" { rows.append(("tasks", "later", "never")) }
        for (collection, hidden, never) in rows {
            func told(_ id: String) async throws -> String {
                let buckets: JSON = ["updated": [["id": .string(id)]], "deleted": [.string(id)]]
                let answer = try await phone.post([
                    "client_batch_id": .string(UUID().uuidString), "on_error": "repair",
                    "changes": .object([collection: buckets]),
                ])
                return answer.text.replacing(id, with: "ID").replacing(
                    answer.json["client_batch_id"]?.string ?? "", with: "")
            }
            #expect(try await told(hidden) == told(never))
        }
        #expect(try await phone.send("GET", "/api/v1/rejected/").json["results"] == [])
    }
}
