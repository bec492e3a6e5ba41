import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// What an upload is answered and what it leaves have limits, whatever a client invents.
@Suite struct UploadBoundsTests {
    private static let lenient: [String: JSON] = ["on_error": "reject_rows"]

    private func row(_ id: String, fields: Int, _ more: [String: JSON] = [:]) -> JSON {
        var row = more.merging(["id": .string(id)]) { $1 }
        for field in 0..<fields { row["f\(1000 + field)"] = .string("v\(field)") }
        return .object(row)
    }

    private func entries(_ client: Client) async throws -> [JSON] {
        try await client.send("GET", "/projects/p1/rejected/?limit=500").at("/results")?.array ?? []
    }

    @Test(arguments: [64, 65, 200]) func unknownFieldsOfARowAreListedUpToSixtyFour(count: Int) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.upload(created: [row("t1", fields: count, ["name": "N"])])
        #expect(answer.status == 200, "\(answer.text)")
        let skipped = answer.at("/skipped/tasks")?.array ?? []
        #expect(skipped.count == min(count, 65))
        #expect(skipped.prefix(64).allSatisfy { $0["field"]?.string?.hasPrefix("f1") == true })
        let left = Int64(count - 64)
        if left > 0 {
            #expect(skipped.last == ["id": "t1", "field": "*", "code": "unknown_field", "more": .int(left)])
        }
        // No value is lost.
        let inbox = try await entries(member)
        #expect(inbox.count == min(count, 65))
        let last = inbox.last { $0["field"] == .null }
        #expect(left > 0 ? last?["sent"]?.object?.count == Int(left) : last == nil)
        #expect(left <= 0 || last?["sent"]?["f\(1000 + count - 1)"] == .string("v\(count - 1)"))
    }

    @Test func aRefusedRowsUnknownFieldsAreLimitedToo() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let viewer = try await scene.client(.viewer)
        let answer = try await viewer.upload(updated: [row("t1", fields: 300, ["name": "N"])], members: Self.lenient)
        #expect(answer.at("/rejected/tasks")?.array?.count == 1, "\(answer.text)")
        let inbox = try await entries(viewer)
        #expect(inbox.count == 66 && inbox.allSatisfy { $0["code"] == "forbidden" })
    }

    /// Each row is told of once, and further entries as long as there are not too many.
    @Test func anAnswerListsAThousandEntriesAndCountsTheRest() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let rows = (0..<100).map { row("t\($0)", fields: 20, ["name": "N"]) }
        let answer = try await member.upload(created: rows)
        let skipped = answer.at("/skipped/tasks")?.array ?? []
        #expect(skipped.count == 1000 && answer.at("/not_listed") == 1000)
        #expect(Set(skipped.compactMap { $0["id"]?.string }).count == 100)
        #expect(answer.at("/applied/tasks/created")?.array?.count == 100)
        // The fields of a row share an entry.
        let inbox = try await entries(member)
        #expect(inbox.count == 100)
        #expect(inbox.allSatisfy { $0["field"] == .null && $0["sent"]?.object?.count == 20 })
        // A small batch says nothing of it.
        #expect(try await member.upload(created: [row("u", fields: 3, ["name": "N"])]).at("/not_listed") == nil)
    }

    @Test(arguments: [false, true]) func aRefusalListsAThousandMistakesAndCountsTheRest(all: Bool) async throws {
        let scene = try await Scene()
        var member = try await scene.client(.member)
        member.syncsAll = all
        let wrong = ["name", "status", "duration", "notes", "planned_start", "wbs_path", "parent"]
        let rows = (0..<300).map { number in
            JSON.object(
                Dictionary(uniqueKeysWithValues: wrong.map { ($0, JSON.array([])) })
                    .merging(["id": .string("t\(number)"), "project_id": "p1"]) { $1 })
        }
        let answer = try await member.upload(created: rows)
        #expect(answer.status == 400)
        #expect(
            answer.errors.count == 1000 && answer.at("/not_listed") == 1100, "\(answer.at("/not_listed")?.text ?? "")")
        #expect(Set((answer.at("/errors")?.array ?? []).compactMap { $0["id"]?.string }).count == 300)
        let lenient = try await member.upload(created: rows, members: Self.lenient)
        #expect(lenient.at("/rejected/tasks")?.array?.count == 1000 && lenient.at("/not_listed") == 1100)
        #expect(lenient.at("/rejected_ids/tasks")?.array?.count == 300)
    }

    /// What others wrote is not sent back by the megabyte.
    @Test func conflictsHaveALimitOfBytes() async throws {
        let scene = try await Scene()
        let ids = (0..<12).map { "t\($0)" }
        try await scene.insertTasks(ids)
        let member = try await scene.client(.member)
        let since = try await member.head()
        let long = JSON.string(String(repeating: "n", count: 900_000))
        try await scene.bench.edit(as: .admin) { editor in
            for id in ids { try editor.update("tasks", id, ["notes": long]) }
        }
        let edits = ids.map { JSON.object(["id": .string($0), "notes": "Mine"]) }
        for mode in ["merge", "reject"] {
            let answer = try await member.upload(
                updated: edits, members: ["on_conflict": .string(mode), "last_pulled_at": .int(since)])
            let conflicts = answer.at(mode == "merge" ? "/conflicts/tasks" : "/errors")?.array ?? []
            #expect(conflicts.count == ids.count && answer.body.count < 5_000_000, "\(answer.body.count)")
            #expect(conflicts.contains { $0["server_values"]?["notes"] == long })
            #expect(conflicts.contains { $0["server_values"] == [:] && $0["cut"] == true })
        }
        #expect(try await entries(member).count == ids.count)
    }

    @Test func manyMembersOfTheProtocolAreIgnored() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        var row: [String: JSON] = ["id": "t1", "name": "N"]
        for number in 0..<500 { row["_x\(number)"] = 1 }
        let answer = try await member.upload(created: [.object(row)])
        #expect(answer.status == 200 && answer.at("/skipped") == [:], "\(answer.text)")
        #expect(try await entries(member).isEmpty)
    }

    @Test func aBatchOfTooManyReferencesIsToBeSplit() async throws {
        let list: JSON = [
            "type": "array", "items": ["type": "string"], "default": [],
            "x-ref": ["collection": "books", "on-delete": "clear"],
        ]
        let scene = try await Scene(schemas: [
            OwnSchemas.notes(["name": ["type": "string", "default": ""]], named: "books"),
            OwnSchemas.notes(["books": list]),
        ])
        let member = try await scene.client(.member)
        func rows(_ count: Int, _ references: Int) -> [JSON] {
            (0..<count).map { number in
                let ids = (0..<references).map { JSON.string("b\($0)") }
                return ["id": .string("n\(number)"), "books": .array(ids)]
            }
        }
        let many = try await member.upload("notes", created: rows(40, 500))
        #expect(many.verdict == "400 batch_too_large" && many.at("/rows") == 40 && many.at("/limit") == 20)
        #expect(try await member.upload("notes", created: rows(20, 500)).code == "invalid_rows")
        let long = try await member.upload("notes", created: rows(1, 1001))
        #expect(long.errors == ["/changes/notes/created/0/books too_long"], "\(long.text)")
    }
}
