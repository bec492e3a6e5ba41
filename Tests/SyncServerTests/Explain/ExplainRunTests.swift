import SyncEngine
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// For every user and row of random histories, over roles, gates, own-only rows, deletes and purges: the explanation
/// agrees with what the user is served.
@Suite struct ExplainRunTests {
    static let seeds: [UInt64] = (0..<4).map { 0xE7_914 + $0 }

    @Test(arguments: seeds) func itSaysWhatAPullOfTheUserHas(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let (store, database) = try TestEngine.open(folder.path("t.db"), registry)
        var run = try await ExplainRun(Workbench(store, registry), seed: seed)
        try await run.run(steps: 90)
        #expect(run.faults.isEmpty, "seed \(seed): \(run.faults.prefix(3))")
        for delivery in Explanation.Delivery.allCases where delivery != .left {
            #expect(run.explained[delivery.rawValue] ?? 0 > 20, "seed \(seed), \(delivery)")
        }
        withExtendedLifetime(database) {}
    }

    /// Together the runs meet every reason that random writes can lead to.
    @Test func everyReasonIsMet() async throws {
        let registry = try Registry.builtIn()
        var codes: Set<String> = []
        var left = 0
        for seed in 0..<8 as Range<UInt64> {
            var run = try await ExplainRun(Workbench(ModelStore(registry: registry), registry), seed: seed)
            try await run.run(steps: 90)
            #expect(run.faults.isEmpty, "seed \(seed): \(run.faults.prefix(3))")
            codes.formUnion(run.codes)
            left += run.explained[Explanation.Delivery.left.rawValue] ?? 0
        }
        #expect(left > 0)
        // The built-in collections have no rows that change hands, and no lists. The others are in `ExplainTests` and
        // `ListedReachTests`.
        let others = [
            "user_disabled", "former_owner", "since_ahead", "listed", "not_listed", "formerly_listed",
        ]
        #expect(codes == Set(Explanation.Code.allCases.map(\.rawValue)).subtracting(others))
    }

    @Test(arguments: PlantedExplainBug.allCases) func everyPlantedMistakeIsFound(bug: PlantedExplainBug) async throws {
        let registry = try Registry.builtIn()
        for seed in 0..<10 as Range<UInt64> {
            let store = PlantedStore(ModelStore(registry: registry), bug: bug)
            var run = try await ExplainRun(Workbench(store, registry), seed: seed)
            try await run.run(steps: 90)
            if !run.faults.isEmpty { return }
        }
        Issue.record("\(bug.rawValue) was not found in 10 runs")
    }
}
