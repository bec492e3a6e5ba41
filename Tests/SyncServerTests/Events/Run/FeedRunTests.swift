import Foundation
import SyncTestKit
import Testing

/// Random histories of two projects while every member listens: streams that are cut, servers that restart, members who
/// come and go, clients that read late, commands beside the server. `TIDEMARK_FEED_RUNS` asks for more of them.
@Suite(.timeLimit(.minutes(60))) struct FeedRunTests {
    static let runs = ProcessInfo.processInfo.environment["TIDEMARK_FEED_RUNS"].flatMap(UInt64.init) ?? 3
    static let seeds: [UInt64] = (0..<runs).map { 0xFEED + $0 }

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
