/// Finds links to leave out so that the others form no cycle.
enum CycleCheck {
    /// The numbers of the links that lead back in a depth-first walk over the tasks in their order.
    ///
    /// Without these there is no cycle, and each of them closes one with links that stay: the path that the walk was on.
    /// One pass and no recursion, so that 50,000 links in one chain are as good as any. Links to a later task are never
    /// the ones to go when only one link of a cycle leads to an earlier task.
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

        /// The task that the link leads to, when the walk is to go on there.
        private mutating func follow(_ number: Int) -> Int? {
            let target = links[number].to
            if state[target] == .onPath { closing.insert(number) }
            guard state[target] == .new else { return nil }
            state[target] = .onPath
            return target
        }
    }
}
