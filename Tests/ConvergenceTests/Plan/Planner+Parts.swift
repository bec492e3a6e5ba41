import SyncProtocol
import SyncTestKit

/// The parts that devices hold.
extension Planner {
    /// Puts changes of parts between the operations of a finished plan. The other operations stay as they are, so a
    /// seed means the same run with and without parts.
    func withParts(_ operations: [Operation], seed: UInt64) -> [Operation] {
        var random = SeededGenerator(seed: seed ^ 0x7061_7274)
        let clients = devices.indices.filter { devices[$0].kind == .client }
        var operations = operations
        for _ in 0..<random.below(mix.parts + 1) {
            let device = random.pick(clients)!
            let filters = (0..<random.below(3)).compactMap { _ in filter(of: device, &random) }
            operations.insert(
                .parts(device: device, filters), at: random.below(max(operations.count - 5, 1)))
        }
        return operations
    }

    private func filter(of device: Int, _ random: inout SeededGenerator) -> JSON? {
        var filter: [String: JSON] = [:]
        if random.below(4) < 3 { filter["tasks"] = .array((0..<random.below(3)).map { _ in tasks(&random) }) }
        if random.oneIn(3) { filter["sprints"] = [["state": random.oneIn(2) ? "ACTIVE" : "PLANNED"]] }
        if random.oneIn(3) { filter["risks"] = [["task_ids": ["has": some("tasks", &random)]]] }
        if devices[device].isUserWide, random.oneIn(2) { filter["projects"] = projects(of: device, &random) }
        return filter.isEmpty ? nil : .object(filter)
    }

    private func tasks(_ random: inout SeededGenerator) -> JSON {
        switch random.below(5) {
        case 0: ["sprint": nil]
        case 1: ["sprint": ["not": some("sprints", &random)]]
        case 2: ["sprint": some("sprints", &random), "is_milestone": false]
        default: ["sprint": some("sprints", &random)]
        }
    }

    /// Ids on every second device, and conditions on the others: parts of one device can't have both.
    private func projects(of device: Int, _ random: inout SeededGenerator) -> JSON {
        guard device % 2 == 0 else { return [["is_archived": .bool(random.oneIn(2))]] }
        let made = made.values.flatMap { $0 }.sorted()
        return .array(([Edit.first, Edit.second] + made).filter { _ in random.oneIn(2) }.map(JSON.string))
    }

    /// About half of the ids that a run uses.
    private func some(_ collection: String, _ random: inout SeededGenerator) -> JSON {
        let ids = [Edit.first, Edit.second].flatMap { project in
            (writes[project]?.ids(of: collection) ?? []) + (rowIDs[project]?[collection] ?? [])
        }
        return .array(ids.filter { _ in random.oneIn(2) }.prefix(20).map(JSON.string))
    }
}
