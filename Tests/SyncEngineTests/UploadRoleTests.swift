import SyncProtocol
import SyncSchema
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
}
