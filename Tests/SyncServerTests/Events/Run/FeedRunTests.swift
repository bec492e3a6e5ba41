import SyncTestKit
import Testing

/// Random histories of two projects while every member listens: streams that are cut, servers that restart, members who
/// come and go, clients that read late, commands beside the server.
@Suite(.timeLimit(.minutes(10))) struct FeedRunTests {
    static let seeds: [UInt64] = (0..<3).map { 0xFEED + $0 }

    @Test(arguments: seeds) func whatAMemberMaySeeIsToldAndNothingElse(seed: UInt64) async throws {
        let run = try await FeedRun(seed: seed, bug: nil)
        try await run.run(steps: 25)
        #expect(run.faults == [], "seed \(seed)")
    }

    @Test(arguments: PlantedFeedBug.allCases) func everyPlantedMistakeIsFound(bug: PlantedFeedBug) async throws {
        for seed in 0..<12 as Range<UInt64> {
            let run = try await FeedRun(seed: seed, bug: bug)
            try await run.run(steps: 25)
            if !run.faults.isEmpty { return }
        }
        Issue.record("\(bug.rawValue) was not found in 12 histories")
    }
}
