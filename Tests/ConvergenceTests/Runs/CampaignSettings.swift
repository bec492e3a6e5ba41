import Foundation
import SyncTestKit

/// What `scripts/check-convergence` asks for in environment variables. Without them, the settings of the suite itself.
struct CampaignSettings: Sendable {
    var runs: UInt64 = 24
    var seed: UInt64 = 1
    /// Nil for both engines.
    var engine: RunEngine?
    /// The bug to plant in all runs.
    var bug: PlantedBug?
    /// Whether the script set this; its output is then meant for a person.
    var isLong = false
    /// Whether the script looks for the seeds that catch the planted bugs, to pin them.
    var isPinning = false

    static let current = CampaignSettings(ProcessInfo.processInfo.environment)

    init(_ environment: [String: String]) {
        if let runs = environment["TIDEMARK_CONVERGENCE_RUNS"].flatMap(UInt64.init) {
            (self.runs, isLong) = (runs, true)
        }
        if let seed = environment["TIDEMARK_CONVERGENCE_SEED"].flatMap(UInt64.init) { self.seed = seed }
        engine = environment["TIDEMARK_CONVERGENCE_ENGINE"].flatMap(RunEngine.init)
        bug = environment["TIDEMARK_CONVERGENCE_PLANT"].flatMap(PlantedBug.init)
        isPinning = environment["TIDEMARK_CONVERGENCE_PIN"] != nil
    }

    /// The seeds of an engine's runs. In the suite itself, PostgreSQL has a third of them: its runs take longer.
    func seeds(on engine: RunEngine) -> Range<UInt64> {
        if let only = self.engine, only != engine { return seed..<seed }
        return seed..<seed + (isLong || engine == .sqlite ? runs : runs / 3)
    }
}
