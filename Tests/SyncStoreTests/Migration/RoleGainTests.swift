import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStores
import SyncTestKit
import SyncValues
import Testing

/// Rows that only their owners saw are for a role too: the start with such a file delivers them again.
@Suite struct RoleGainTests {
    private static func documents(role: Bool) throws -> Documents {
        var documents = try Documents()
        documents.add(
            "notes",
            [
                "text": ["type": "string", "default": ""],
                "owner": ["type": ["integer", "null"], "x-user": ["on-leave": "keep"]],
            ])
        documents["notes", keyword: "x-visibility"] = role ? ["own": "owner", "role": "ADMIN"] : ["own": "owner"]
        return documents
    }

    @Test(arguments: ReopenedDatabase.Engine.allCases)
    func ownersKeepTheirRowsAndTheRoleGetsThem(engine: ReopenedDatabase.Engine) async throws {
        let database = try ReopenedDatabase(engine)
        let (old, new) = (try Self.documents(role: false), try Self.documents(role: true))
        var store = try database.open(old)
        let bench = try await Workbench(store, old.registry())
        let member = JSON.int(bench.caller(.member).userID)
        let viewer = JSON.int(bench.caller(.viewer).userID)
        try await bench.edit { editor in
            for id in ["a", "b", "c", "dead"] { try editor.insert("notes", id, ["owner": member]) }
        }
        let before = try await store.read { try $0.project("p1")!.head }
        try await bench.edit { try $0.update("notes", "b", ["owner": viewer]) }
        try await bench.edit { try $0.delete("notes", "dead") }
        let head = try await store.read { try $0.project("p1")!.head }
        try store.close()

        store = try database.open(new)
        let registry = try new.registry()
        func drain(_ role: Role, _ since: SyncSeq) async throws -> (rows: [String], deleted: [String]) {
            let drained = try await Drained(store, registry, project: "p1", since: since, by: bench.caller(role))
            func ids(_ keys: some Sequence<RowKey>) -> [String] {
                keys.filter { $0.collection == "notes" }.map(\.id).sorted()
            }
            return (ids(drained.rows.keys), ids(drained.deleted))
        }
        #expect(try await drain(.admin, head) == (["a", "b", "c"], []))
        #expect(try await drain(.member, head) == (["a", "c"], []))
        #expect(try await drain(.member, before) == (["a", "c"], ["b", "dead"]))
        #expect(try await drain(.viewer, .zero) == (["b"], []))
        #expect(try await drain(.scheduler, before) == ([], []))
        try store.close()
        try database.check("after the change")
        #expect(throws: SchemaError.self) { try database.open(old) }
    }
}
