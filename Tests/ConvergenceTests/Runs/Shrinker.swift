import SyncTestKit

/// Makes a failing plan shorter: it leaves out halves of the operations, then quarters, and so on down to single
/// operations, as long as the rest still fails. Then it removes incidents one by one.
struct Shrinker {
    let engine: RunEngine
    let bug: PlantedBug?
    /// How many more runs it may make.
    private var budget = 400

    init(on engine: RunEngine, bug: PlantedBug?) { (self.engine, self.bug) = (engine, bug) }

    /// The shortest plan found that fails, and the reason.
    mutating func shrink(_ plan: Plan, failing reason: String) async -> (plan: Plan, reason: String) {
        var best = (plan: plan, reason: reason)
        var size = max(1, plan.operations.count / 2)
        while true {
            let before = best.plan.operations.count
            await leaveOut(size, of: &best)
            if size == 1, best.plan.operations.count == before { break }
            size = max(1, size / 2)
        }
        await leaveIncidents(of: &best)
        return best
    }

    private mutating func leaveOut(_ size: Int, of best: inout (plan: Plan, reason: String)) async {
        var start = 0
        while start < best.plan.operations.count {
            var shorter = best.plan
            shorter.operations.removeSubrange(start..<min(start + size, shorter.operations.count))
            if await !take(shorter, for: &best) { start += size }
        }
    }

    private mutating func leaveIncidents(of best: inout (plan: Plan, reason: String)) async {
        for index in best.plan.operations.indices {
            guard case .exchange(let device, var exchange) = best.plan.operations[index] else { continue }
            for position in exchange.incidents.indices.reversed() {
                var calmer = exchange
                calmer.incidents[position] = .nothing
                if position == calmer.incidents.count - 1 { calmer.incidents.removeLast() }
                var plan = best.plan
                plan.operations[index] = .exchange(device: device, calmer)
                if await take(plan, for: &best) { exchange = calmer }
            }
        }
    }

    /// Whether this plan fails too.
    private mutating func take(_ plan: Plan, for best: inout (plan: Plan, reason: String)) async -> Bool {
        guard budget > 0 else { return false }
        budget -= 1
        guard let reason = await plan.failure(on: engine, with: bug) else { return false }
        best = (plan, reason)
        return true
    }
}

extension Plan {
    /// What is wrong at the end of the run, or what stopped it; nil if nothing is wrong.
    func failure(on engine: RunEngine, with bug: PlantedBug?) async -> String? {
        do {
            try await World.run(self, on: engine, bug: bug)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
