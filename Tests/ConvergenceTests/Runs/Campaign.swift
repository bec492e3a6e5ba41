import SyncTestKit

/// Many runs, a few at a time, each with its own seed.
struct Campaign: Sendable {
    let seeds: Range<UInt64>
    var engine = RunEngine.sqlite
    var bug: PlantedBug?
    /// One more than a small machine has cores, because a run sometimes waits for its files.
    private let width = 3

    /// A failed run.
    struct Failed: Sendable {
        let plan: Plan
        let engine: RunEngine
        let reason: String
    }

    /// The failed runs by seed. Once there are `limit` of them, no further runs begin.
    func failures(upTo limit: Int) async -> [Failed] {
        await withTaskGroup(of: Failed?.self) { group in
            var (next, failures) = (seeds.lowerBound, [Failed]())
            for _ in 0..<width { start(&next, in: &group) }
            for await result in group {
                if let result { failures.append(result) }
                if failures.count < limit { start(&next, in: &group) }
            }
            return failures.sorted { $0.plan.seed < $1.plan.seed }
        }
    }

    private func start(_ next: inout UInt64, in group: inout TaskGroup<Failed?>) {
        guard next < seeds.upperBound else { return }
        let (plan, engine, bug) = (Plan(seed: next, mix: .revealing(bug)), engine, bug)
        group.addTask {
            await plan.failure(on: engine, with: bug).map { Failed(plan: plan, engine: engine, reason: $0) }
        }
        next += 1
    }
}

extension Campaign.Failed {
    /// The report for a person: the shortest plan that still fails, and how it fails.
    func report(bug: PlantedBug?) async -> String {
        var shrinker = Shrinker(on: engine, bug: bug)
        let (plan, reason) = await shrinker.shrink(plan, failing: reason)
        return "\(plan)\nends with:\n\(reason)\n(at first, with all operations: \(self.reason))"
    }
}
