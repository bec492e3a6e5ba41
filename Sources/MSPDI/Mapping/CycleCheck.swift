/// Finds links whose removal leaves no cycle.
enum CycleCheck {
    /// The indexes of the links that lead back to a task on the current path of a depth-first walk. The walk
    /// visits the tasks in their order.
    ///
    /// Without these links there is no cycle. Each of them closes a cycle with links that stay: those on the path. The
    /// walk is one pass without recursion, so a chain of 50,000 links is no problem. If only one link of a cycle leads
    /// to an earlier task, that link is removed and never one that leads to a later task.
    static func closing(nodes: Int, links: [(from: Int, to: Int)]) -> Set<Int> {
        var walk = Walk(nodes: nodes, links: links)
        for node in 0..<nodes { walk.visit(from: node) }
        return walk.closing
    }

    private struct Walk {
        private enum State { case new, onPath, done }

        private let links: [(from: Int, to: Int)]
        private var outgoing: [[Int]]
        private var next: [Int]
        private var state: [State]
        private(set) var closing: Set<Int> = []

        init(nodes: Int, links: [(from: Int, to: Int)]) {
            self.links = links
            outgoing = [[Int]](repeating: [], count: nodes)
            next = [Int](repeating: 0, count: nodes)
            state = [State](repeating: .new, count: nodes)
            for (number, link) in links.enumerated() { outgoing[link.from].append(number) }
        }

        mutating func visit(from start: Int) {
            guard state[start] == .new else { return }
            state[start] = .onPath
            var path = [start]
            while let node = path.last {
                if next[node] == outgoing[node].count {
                    state[node] = .done
                    path.removeLast()
                } else if let entered = follow(outgoing[node][next[node]]) {
                    next[node] += 1
                    path.append(entered)
                } else {
                    next[node] += 1
                }
            }
        }

        /// The task that the link leads to, if the walk has to continue there.
        private mutating func follow(_ number: Int) -> Int? {
            let target = links[number].to
            if state[target] == .onPath { closing.insert(number) }
            guard state[target] == .new else { return nil }
            state[target] = .onPath
            return target
        }
    }
}
