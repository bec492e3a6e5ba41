/// The cycles in a graph in which each node has at most one parent.
struct Circles {
    /// One node of each cycle. Removing the link from that node to its parent breaks the cycle.
    private(set) var closingLinks: Set<String> = []

    init(parents: [String: String]) {
        var walks: [String: Int] = [:]
        for (number, start) in parents.keys.sorted().enumerated() {
            var node: String? = start
            while let here = node, walks[here] == nil {
                walks[here] = number
                node = parents[here]
            }
            // The walk came back to one of its own nodes, so this cycle is new.
            if let node, walks[node] == number, parents[node] != nil { closingLinks.insert(node) }
        }
    }
}
