import SyncTestKit
import Testing

/// Random runs of several devices against the real server, in process: edits on devices,
/// other people's writes, roles, restarts and restored backups, over an unreliable network.
/// When the network is sound again, every replica must equal what its user may see, and every
/// edit must be where it belongs. `scripts/check-convergence` makes more of these runs.
@Suite struct SeededRunTests {
    @Test(arguments: RunEngine.allCases)
    func replicasConvergeAndNoEditIsLostOrDoubled(engine: RunEngine) async throws {
        let settings = CampaignSettings.current
        let (start, seeds) = (ContinuousClock.now, settings.seeds(on: engine))
        let failures = await Campaign(seeds: seeds, engine: engine, bug: settings.bug).failures(upTo: 3)
        for failed in failures { Issue.record("\(engine): \(await failed.report(bug: settings.bug))") }
        if failures.isEmpty, settings.isLong, !seeds.isEmpty {
            let rate = Double(seeds.count) / ((ContinuousClock.now - start) / .seconds(1))
            print("\(engine): \(seeds.count) runs from seed \(settings.seed), \(Double(Int(rate * 10)) / 10) runs/s")
        }
    }

    /// Without this a failure could not be repeated.
    @Test(arguments: [3, 4] as [UInt64]) func aSeedAlwaysMeansTheSamePlan(seed: UInt64) {
        #expect("\(Plan(seed: seed))" == "\(Plan(seed: seed))")
    }
}

/// Each planted bug must be found: a check that finds none of them proves nothing.
@Suite(.enabled(if: !CampaignSettings.current.isLong)) struct PlantedBugTests {
    @Test(arguments: PlantedBug.allCases) func isCaughtWithin200Runs(bug: PlantedBug) async throws {
        let pinned = CampaignSettings.current.isPinning ? nil : PinnedSeeds.byBug[bug.rawValue]
        if let pinned, await firstRun(catching: bug, among: pinned..<pinned + 1) != nil { return }
        let run = try #require(await firstRun(catching: bug, among: 1..<201))
        print("\(bug.rawValue) is caught in run \(run). To run this one first: scripts/check-convergence --pin")
    }

    private func firstRun(catching bug: PlantedBug, among seeds: Range<UInt64>) async -> UInt64? {
        await Campaign(seeds: seeds, bug: bug).failures(upTo: 1).first?.plan.seed
    }

    /// The table is made by a script.
    @Test func onlyBugsThatThereAreHaveASeed() {
        #expect(Set(PinnedSeeds.byBug.keys).subtracting(PlantedBug.allCases.map(\.rawValue)) == [])
    }
}
