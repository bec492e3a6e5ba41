import SyncProtocol
import SyncSchema

/// The links between tasks have no cycle. Walks from the successor along its own links until the predecessor is met.
struct AcyclicDependencies: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let from = row["predecessor"].string, let to = row["successor"].string else { return }
        guard from != to else {
            throw FieldProblem("successor", .cyclicDependency, "A task can't depend on itself.")
        }
        guard let path = try path(from: to, to: from, row) else { return }
        throw FieldProblem(
            "successor", .cyclicDependency, "This link closes a cycle: \(([from] + path).joined(separator: " -> ")).")
    }

    /// The tasks from `start` to `goal` along live links; nil when there is no way.
    private func path(from start: String, to goal: String, _ row: RuleSubject) throws -> [String]? {
        let predecessor = row.collection.field("predecessor")!
        let successor = row.collection.position("successor")!
        var cameFrom: [String: String?] = [start: nil]
        var pending = [start]
        while let task = pending.popLast() {
            if task == goal { return trace(goal, cameFrom) }
            for link in try row.draft.liveRecords(in: row.collection, where: predecessor, holds: .string(task)) {
                guard let next = link.values[successor].string, cameFrom[next] == nil else { continue }
                cameFrom[next] = task
                pending.append(next)
            }
        }
        return nil
    }

    private func trace(_ goal: String, _ cameFrom: [String: String?]) -> [String] {
        var path = [goal]
        while let previous = cameFrom[path[0]] ?? nil { path.insert(previous, at: 0) }
        return path
    }
}
