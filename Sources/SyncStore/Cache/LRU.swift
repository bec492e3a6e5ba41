/// A cache with a budget, in the unit of `cost`. It drops the least recently used values first. All operations take
/// constant time per value that they touch.
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
    /// The sum of the costs of all values.
    package private(set) var cost = 0
    private var slots: [Key: Int] = [:]
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1

    package init(budget: Int) { self.budget = budget }

    package var count: Int { slots.count }

    /// The value of `key`. Counts as a use.
    package mutating func value(of key: Key) -> Value? {
        guard let slot = slots[key] else { return nil }
        if slot != newest {
            unlink(slot)
            link(slot)
        }
        return nodes[slot]!.value
    }

    /// Keeps the value under `key` instead of an earlier one, and drops others to make room. A value that costs more
    /// than the whole budget is not kept.
    package mutating func keep(_ value: Value, of key: Key, cost: Int) {
        if let slot = slots[key] { drop(slot) }
        guard cost <= budget else { return }
        while self.cost + cost > budget { drop(oldest) }
        let slot = free.popLast() ?? nodes.count
        if slot == nodes.count { nodes.append(nil) }
        nodes[slot] = Node(key: key, value: value, cost: cost)
        slots[key] = slot
        self.cost += cost
        link(slot)
    }

    private mutating func drop(_ slot: Int) {
        unlink(slot)
        slots[nodes[slot]!.key] = nil
        cost -= nodes[slot]!.cost
        nodes[slot] = nil
        free.append(slot)
    }

    private mutating func unlink(_ slot: Int) {
        let (newer, older) = (nodes[slot]!.newer, nodes[slot]!.older)
        if newer >= 0 { nodes[newer]!.older = older } else { newest = older }
        if older >= 0 { nodes[older]!.newer = newer } else { oldest = newer }
    }

    private mutating func link(_ slot: Int) {
        (nodes[slot]!.newer, nodes[slot]!.older) = (-1, newest)
        if newest >= 0 { nodes[newest]!.newer = slot } else { oldest = slot }
        newest = slot
    }
}
