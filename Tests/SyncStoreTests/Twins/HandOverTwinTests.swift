import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Own-only rows change owners in the same way on both stores: after any drain, each member's replica holds the same
/// rows, and those are the rows that the member may see.
@Suite struct HandOverTwinTests {
    private static func registry() throws -> Registry {
        func document(_ title: String, _ scope: [String: JSON], _ roles: JSON, _ fields: JSON, _ required: JSON) -> JSON
        {
            let members: [String: JSON] = [
                "$schema": "urn:tidemark:meta-schema", "title": .string(title), "type": "object", "x-roles": roles,
                "required": required, "properties": fields,
            ]
            return .object(members.merging(scope) { $1 })
        }
        let documents = [
            document(
                "projects", ["x-scope": "project"], ["create": "ANYONE", "update": "ADMIN", "delete": "OWNER"],
                ["name": ["type": "string"], "start_date": ["type": "string", "format": "date"]],
                ["name", "start_date"]),
            document(
                "memberships", ["x-scope": "membership"], ["create": "ADMIN", "update": "ADMIN", "delete": "VIEWER"],
                ["user": ["type": "integer"], "role": ["type": "integer"]], ["user", "role"]),
            document(
                "notes", ["x-visibility": ["own": "owner"], "x-uploadable": true],
                ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"],
                ["owner": ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]]], []),
        ]
        return try Registry(documents: documents.map { ($0["title"]?.string ?? "", $0) })
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func bothStoresTellTheSame(seed: UInt64) async throws {
        let (folder, registry) = (try TemporaryFolder(), try Self.registry())
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let real = try await replay(Workbench(store, registry), seed)
        let model = try await replay(Workbench(ModelStore(registry: registry), registry), seed)
        #expect(real == model)
        #expect(try DatabaseCheck(path: folder.path("t.db")).run().findings.isEmpty)
    }

    /// The contents of the replicas after each drain.
    private func replay<Store: SyncStore>(_ bench: Workbench<Store>, _ seed: UInt64) async throws -> [[RowKey: JSON]] {
        var random = SeededGenerator(seed: seed)
        let roles: [Role] = [.member, .scheduler, .admin]
        var replicas = roles.map { DrainClient(bench.caller($0)) }
        var held: [[RowKey: JSON]] = []
        for step in 0..<80 {
            let owner = random.pick(roles.map { JSON.int(bench.caller($0).userID) } + [.null])!
            let id = "n\(random.below(step / 4 + 1))"
            let isDead = random.oneIn(12)
            let key = RowKey("notes", id)
            try await bench.edit { editor in
                guard let record = try editor.draft.record(key) else {
                    return try editor.insert("notes", id, ["owner": owner])
                }
                guard !record.isDeleted else { return }
                try editor.update("notes", id, ["owner": owner])
                if isDead { try editor.delete("notes", id) }
            }
            // Pages of several drains, with writes between them.
            let index = random.below(roles.count)
            guard try await replicas[index].pull(from: bench, pageSize: random.pick([1, 2, 50])!) else { continue }
            held.append(replicas[index].rows)
        }
        for index in roles.indices {
            try await replicas[index].drain(from: bench, pageSize: 2)
            try await replicas[index].drain(from: bench, pageSize: 2)
            let user = JSON.int(bench.caller(roles[index]).userID)
            let collection = bench.registry.collection("notes")
            let notes = try await bench.store.read { transaction in
                try transaction.records(in: collection, project: bench.project)
            }
            let owner = collection.position(named: "owner")
            let owned = Set(notes.filter { $0.values[owner] == user }.map(\.id))
            #expect(Set(replicas[index].rows.keys.filter { $0.collection == "notes" }.map(\.id)) == owned)
            #expect(replicas[index].isConfirmed)
            held.append(replicas[index].rows)
        }
        return held
    }
}
