import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// The name of a bucket grants nothing: an unknown row in
/// `updated` is a create, and a live row in `created` is a change.
@Suite struct UploadRoleTests {
    private func bench(create: JSON, update: JSON) async throws -> Workbench<ModelStore> {
        let documents = try Registry.builtIn().collections.map { collection -> (name: String, json: JSON) in
            var members = collection.document.object ?? [:]
            if collection.name == "tasks" {
                members["x-roles"] = ["create": create, "update": update, "delete": "MEMBER"]
            }
            return (collection.name, .object(members))
        }
        let registry = try Registry(documents: documents)
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await bench.edit { try $0.insert("tasks", "t1", ["name": "One"]) }
        return bench
    }

    private func code(_ bench: Workbench<ModelStore>, _ changes: JSON) async throws -> ErrorCode? {
        do {
            _ = try await bench.upload(changes, batch: "00000000-0000-0000-0000-000000000001")
            return nil
        } catch let problem as Problem {
            return problem.code
        }
    }

    @Test func whoMayOnlyChangeCannotCreateByUpdating() async throws {
        let bench = try await bench(create: "ADMIN", update: "MEMBER")
        #expect(try await code(bench, ["updated": [["id": "t2", "name": "Two"]]]) == .forbidden)
        #expect(try await code(bench, ["updated": [["id": "t1", "name": "Two"]]]) == nil)
    }

    @Test func whoMayOnlyCreateCannotChangeByCreating() async throws {
        let bench = try await bench(create: "MEMBER", update: "ADMIN")
        #expect(try await code(bench, ["created": [["id": "t1", "name": "Two"]]]) == .forbidden)
        #expect(try await code(bench, ["created": [["id": "t2", "name": "Two"]]]) == nil)
    }

    // MARK: Each row by itself

    private func answer(_ bench: Workbench<ModelStore>, _ changes: JSON, as role: Role = .member) async throws -> JSON {
        let answer = try await bench.upload(
            changes, batch: "00000000-0000-0000-0000-000000000002", as: role, members: ["on_error": "repair"])
        return try JSON(parsing: answer.body)
    }

    @Test func underRepairARowThatTheRoleCannotWriteIsLeftOut() async throws {
        let bench = try await bench(create: "ADMIN", update: "MEMBER")
        let answer = try await answer(
            bench,
            ["created": [["id": "t2", "name": "Two"]], "updated": [["id": "t1", "name": "Changed"]], "deleted": []])
        #expect(answer["rejected"]?["tasks"]?.array?.compactMap { $0["code"]?.string } == ["forbidden"])
        #expect(answer["rejected_ids"]?["tasks"] == ["t2"])
        let rows = try await bench.store.read { transaction in
            try ["t1", "t2"].map { try transaction.record(RowKey("tasks", $0))?.isDeleted }
        }
        #expect(rows == [false, nil])
    }

    @Test func aBatchThatIsRejectedForSeveralReasonsIsInvalid() async throws {
        let bench = try await bench(create: "ADMIN", update: "MEMBER")
        let changes: JSON = [
            "created": [["id": "t2", "name": "Two"]], "updated": [["id": "t1", "duration": "long"]],
        ]
        #expect(try await code(bench, changes) == .invalidRows)
    }

    /// To somebody who can't create, an id that another project has taken looks like one that is free.
    @Test func theRoleIsJudgedBeforeTheID() async throws {
        let bench = try await bench(create: "ADMIN", update: "MEMBER")
        let other = try await Workbench(bench.store, bench.registry, project: "p2")
        try await other.edit { try $0.insert("tasks", "taken", ["name": "Theirs"]) }
        for bucket in ["created", "updated"] {
            for id in ["taken", "free"] {
                #expect(try await code(bench, .object([bucket: [["id": .string(id), "name": "N"]]])) == .forbidden)
            }
        }
    }

    @Test func aViewersBatchIsJudgedRowByRow() async throws {
        let bench = try await bench(create: "MEMBER", update: "VIEWER")
        let answer = try await answer(
            bench,
            [
                "created": [["id": "t2", "name": "Two"]], "updated": [["id": "t1", "notes": "Seen"]], "deleted": ["t1"],
            ],
            as: .viewer)
        let refused = answer["rejected"]?["tasks"]?.array?.compactMap { $0["id"]?.string }
        #expect(refused == ["t2", "t1"])
        let row = try await bench.store.read { try $0.record(RowKey("tasks", "t1")) }
        #expect(row?.isDeleted == false && row?.version.rawValue == 2)
    }
}
