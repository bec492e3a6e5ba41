import SyncProtocol
import SyncSchema

/// The links between tasks have no cycle.
///
/// Walks depth first along live links, the draft's included. A task behind which everything was seen without meeting the
/// way there is settled for the rest of the transaction, so that any number of links costs one walk.
struct AcyclicDependencies: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let from = row["predecessor"].string, let to = row["successor"].string else { return }
        guard from != to else {
            throw FieldProblem("successor", .cyclicDependency, "A task can't depend on itself.")
        }
        guard let cycle = try Walk(row).cycle(from: from) else { return }
        throw FieldProblem(
            "successor", .cyclicDependency, "This link closes a cycle: \(cycle.joined(separator: " -> ")).")
    }

    private struct Walk {
        private static let memory = "acyclic-dependencies"
        private let row: RuleSubject
        private let predecessor: Field
        private let successor: Int

        init(_ row: RuleSubject) {
            self.row = row
            predecessor = row.collection.field("predecessor")!
            successor = row.collection.position("successor")!
        }

        /// The tasks of a cycle that can be reached from `start`; nil when there is none.
        func cycle(from start: String) throws -> [String]? {
            guard !isSettled(start) else { return nil }
            var path = [(task: start, rest: try successors(of: start))]
            var onPath: Set<String> = [start]
            while let last = path.last {
                guard let next = last.rest.last else {
                    settle(last.task)
                    onPath.remove(last.task)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].rest.removeLast()
                if onPath.contains(next) { return path.map(\.task).drop { $0 != next } + [next] }
                guard !isSettled(next) else { continue }
                onPath.insert(next)
                path.append((next, try successors(of: next)))
            }
            return nil
        }

        private func isSettled(_ task: String) -> Bool {
            row.draft.memory[Walk.memory]?.contains(task) ?? false
        }

        private func settle(_ task: String) { row.draft.memory[Walk.memory, default: []].insert(task) }

        private func successors(of task: String) throws -> [String] {
            try row.draft.liveRecords(in: row.collection, where: predecessor, holds: .string(task))
                .compactMap { $0.values[successor].string }
        }
    }
}
