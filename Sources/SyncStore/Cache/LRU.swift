/// A cache with a budget. It drops the least recently used values first.
package struct LRU<Key: Hashable, Value> {
    private struct Node {
        let key: Key
        let value: Value
        let cost: Int
        /// Index of the next more recently used node; -1 at the end.
        var newer = -1
        var older = -1
    }

    private let budget: Int
    package private(set) var cost = 0
    private var places: [Key: Int] = [:]
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1

    package init(budget: Int) { self.budget = budget }

    package var count: Int { places.count }

    /// Counts as a use.
    package mutating func value(of key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            link(place)
        }
        return nodes[place]!.value
    }

    /// Keeps the value, and drops others to make room for it. A value
    /// that costs more than the whole budget is not kept.
    package mutating func keep(_ value: Value, of key: Key, cost: Int) {
        if let place = places[key] { drop(place) }
        guard cost <= budget else { return }
        while self.cost + cost > budget { drop(oldest) }
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(nil) }
        nodes[place] = Node(key: key, value: value, cost: cost)
        places[key] = place
        self.cost += cost
        link(place)
    }

    private mutating func drop(_ place: Int) {
        unlink(place)
        places[nodes[place]!.key] = nil
        cost -= nodes[place]!.cost
        nodes[place] = nil
        free.append(place)
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place]!.newer, nodes[place]!.older)
        if newer >= 0 { nodes[newer]!.older = older } else { newest = older }
        if older >= 0 { nodes[older]!.newer = newer } else { oldest = newer }
    }

    private mutating func link(_ place: Int) {
        (nodes[place]!.newer, nodes[place]!.older) = (-1, newest)
        if newest >= 0 { nodes[newest]!.newer = place } else { oldest = place }
        newest = place
    }
}
