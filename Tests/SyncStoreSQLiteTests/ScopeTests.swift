import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A debug build ends where a transaction leaves its scope: on SQLite nothing else would show it.
@Suite struct ScopeTests {
    private static func read(_ scope: StoreScope) async throws -> SyncSeq? {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        _ = try await Workbench(store, registry)
        return try await store.read(scope) { try $0.project("p1")?.head }
    }

    @Test(arguments: [
        StoreScope.project("p1"), .projects(["p0", "p1"]), .accountsAndProjects(["p1"]), .row(RowKey("tasks", "t")),
        .installation,
    ])
    func whatItCoversCanBeRead(scope: StoreScope) async throws {
        #expect(try await ScopeTests.read(scope) != nil)
    }

    @Test func anotherProjectEndsTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = try await ScopeTests.read(.project("p2")) }
    }

    @Test func aProjectIsNoPartOfTheAccounts() async {
        await #expect(processExitsWith: .failure) { _ = try await ScopeTests.read(.accounts) }
    }
}
