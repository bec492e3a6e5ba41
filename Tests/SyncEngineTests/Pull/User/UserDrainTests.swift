@testable import SyncEngine
import Foundation
import PostgreSQLTestKit
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing

/// `TIDEMARK_USER_DRAIN_RUNS` histories on each store, from the seed `TIDEMARK_USER_DRAIN_SEED` on.
private enum UserHistorySettings {
    static let runs = number("TIDEMARK_USER_DRAIN_RUNS") ?? 12
    static let first = number("TIDEMARK_USER_DRAIN_SEED") ?? 0xBEEF

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}

/// Random histories of several projects, pulled in one drain between all writes: what a client holds is the union of
/// what its user may see in each project, field by field.
@Suite struct UserDrainTests {
    static let seeds: [UInt64] = (0..<UserHistorySettings.runs).map { UserHistorySettings.first + $0 }

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

/// The same with filters that change, of projects and of what is in them.
@Suite struct UserPartTests {
    @Test(arguments: UserDrainTests.seeds) func sqliteReplicasAreThePartsOfTheProjects(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        var history = try await UserHistory(Workbench(store, registry), seed: seed, hasParts: true)
        await history.run()
        #expect(history.faults == [], "seed \(seed)")
    }

    @Test(arguments: UserDrainTests.seeds.prefix(3))
    func postgreSQLReplicasAreThePartsOfTheProjects(seed: UInt64) async throws {
        let (database, registry) = (try TestDatabase(), try Registry.builtIn())
        let store = try database.open(registry)
        defer { store.close() }
        var history = try await UserHistory(Workbench(store, registry), seed: seed, hasParts: true)
        await history.run()
        #expect(history.faults == [], "seed \(seed)")
    }

    @Test(arguments: UserDrainTests.seeds.prefix(4))
    func modelReplicasAreThePartsOfTheProjects(seed: UInt64) async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        var history = try await UserHistory(bench, seed: seed, hasParts: true)
        await history.run()
        #expect(history.faults == [], "seed \(seed)")
    }
}

/// Mistakes that a server could make with user-wide drains. The random histories must find each of them.
@Suite struct UserDrainPlantTests {
    @Test(arguments: PlantedUserBug.allCases) func everyPlantedMistakeIsFound(bug: PlantedUserBug) async throws {
        let registry = try Registry.builtIn()
        for seed in 0..<60 as Range<UInt64> {
            let store = PlantedStore(ModelStore(registry: registry), bug: bug)
            var history = try await UserHistory(Workbench(store, registry), seed: seed, hasParts: bug.isOfParts)
            await history.run()
            if !history.faults.isEmpty { return }
        }
        Issue.record("\(bug.rawValue) was not found in 60 histories")
    }

    /// A server that takes the watermark for what a WatermelonDB client holds.
    @Test func aClientThatHoldsMoreThanItsWatermarkNeedsMore() async throws {
        let registry = try Registry.builtIn()
        var found = 0
        for seed in 0..<30 as Range<UInt64> where found < 2 {
            let bench = try await Workbench(ModelStore(registry: registry), registry)
            var history = try await UserHistory(bench, seed: seed, encoding: .json)
            await history.run()
            found += history.faults.isEmpty ? 0 : 1
        }
        #expect(found == 2, "not found in 30 histories")
    }
}
