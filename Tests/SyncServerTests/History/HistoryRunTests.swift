import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Random writes over all collections, roles, gates and own-only rows: a history tells its reader every change of the
/// row that they saw, and nothing of what was out of their sight.
@Suite struct HistoryRunTests {
    static let seeds: [UInt64] = (0..<6).map { 0x415_70 + $0 }

    @Test(arguments: seeds) func itTellsWhatItsReaderSawAndNothingElse(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let (store, database) = try TestEngine.open(folder.path("t.db"), registry)
        var run = try await HistoryRun(Workbench(store, registry), seed: seed)
        try await run.run(steps: 100)
        #expect(run.faults == [], "seed \(seed)")
        #expect(run.compared > 100, "seed \(seed)")
        withExtendedLifetime(database) {}
    }

    @Test(arguments: PlantedHistoryBug.allCases) func everyPlantedMistakeIsFound(bug: PlantedHistoryBug) async throws {
        let registry = try Registry.builtIn()
        for seed in 0..<20 as Range<UInt64> {
            let store = PlantedStore(ModelStore(registry: registry), bug: bug)
            var run = try await HistoryRun(Workbench(store, registry), seed: seed)
            try await run.run(steps: 100)
            if !run.faults.isEmpty { return }
        }
        Issue.record("\(bug.rawValue) was not found in 20 runs")
    }
}
