import Foundation
import SyncTestKit

/// What `scripts/check-convergence` asks for, by environment variables; the suite's own without them.
struct CampaignSettings: Sendable {
    var runs: UInt64 = 24
    var seed: UInt64 = 1
    /// A mistake to be made in all runs.
    var bug: PlantedBug?
    /// Whether the script asks: what it prints is for a person then.
    var isLong = false

    static let current = CampaignSettings(ProcessInfo.processInfo.environment)

    init(_ environment: [String: String]) {
        if let runs = environment["TIDEMARK_CONVERGENCE_RUNS"].flatMap(UInt64.init) {
            (self.runs, isLong) = (runs, true)
        }
        if let seed = environment["TIDEMARK_CONVERGENCE_SEED"].flatMap(UInt64.init) { self.seed = seed }
        bug = environment["TIDEMARK_CONVERGENCE_PLANT"].flatMap(PlantedBug.init)
    }

    var seeds: Range<UInt64> { seed..<seed + runs }
}
