@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Random histories of several projects, pulled in one drain between all writes: what a client holds is the union of
/// what its user may see in each project, field by field.
@Suite struct UserDrainTests {
    static let seeds: [UInt64] = (0..<12).map { 0xBEEF + $0 }

    @Test(arguments: seeds) func sqliteReplicasAreTheUnionOfTheProjects(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        var history = try await UserHistory(Workbench(store, registry), seed: seed)
        await history.run()
        #expect(history.faults == [], "seed \(seed)")
    }

    @Test(arguments: seeds) func modelReplicasAreTheUnionOfTheProjects(seed: UInt64) async throws {
        let registry = try Registry.builtIn()
        var history = try await UserHistory(Workbench(ModelStore(registry: registry), registry), seed: seed)
        await history.run()
        #expect(history.faults == [], "seed \(seed)")
    }
}

/// Mistakes that a server could make with user-wide drains. The random histories must find each of them.
@Suite struct UserDrainPlantTests {
    @Test(arguments: PlantedUserBug.allCases) func everyPlantedMistakeIsFound(bug: PlantedUserBug) async throws {
        let registry = try Registry.builtIn()
        for seed in 0..<60 as Range<UInt64> {
            let store = PlantedUserStore(base: ModelStore(registry: registry), bug: bug)
            var history = try await UserHistory(Workbench(store, registry), seed: seed)
            await history.run()
            if !history.faults.isEmpty { return }
        }
        Issue.record("\(bug.rawValue) was not found in 60 histories")
    }
}
