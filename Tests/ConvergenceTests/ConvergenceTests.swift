import SyncTestKit
import Testing

/// Random runs of several devices against the real server, in process: edits on devices, other people's writes, roles,
/// restarts and restored backups, over a network that does what networks do. When it heals, every replica is what its
/// user may see, and every edit is where it must be. `scripts/check-convergence` runs more of them.
@Suite struct SeededRunTests {
    @Test func replicasConvergeAndNoEditIsLostOrDoubled() async throws {
        let settings = CampaignSettings.current
        let start = ContinuousClock.now
        let failures = await Campaign(seeds: settings.seeds, bug: settings.bug).failures(upTo: 3)
        for failed in failures { Issue.record("\(await failed.report(bug: settings.bug))") }
        if failures.isEmpty, settings.isLong {
            let rate = Double(settings.runs) / ((ContinuousClock.now - start) / .seconds(1))
            print("\(settings.runs) runs from seed \(settings.seed), \(Double(Int(rate * 10)) / 10) runs/s")
        }
    }

    /// Else a failure could not be repeated.
    @Test(arguments: [3, 4] as [UInt64]) func aSeedAlwaysMeansTheSamePlan(seed: UInt64) {
        #expect("\(Plan(seed: seed))" == "\(Plan(seed: seed))")
    }
}

/// A check that catches nothing is worth nothing.
@Suite(.enabled(if: !CampaignSettings.current.isLong)) struct PlantedBugTests {
    @Test(arguments: PlantedBug.allCases) func isCaughtWithin200Runs(bug: PlantedBug) async throws {
        let caught = await Campaign(seeds: 1..<201, bug: bug).failures(upTo: 1).first
        let run = try #require(caught).plan.seed
        print("\(bug.rawValue) is caught in run \(run)")
    }
}
