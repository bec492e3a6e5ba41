/// A cache with a budget, in the unit of `cost`. It drops the least recently used values first. All operations take
/// constant time per value that they touch.
///
/// Inlinable like `CommitScopedCache`: every request asks both, from other targets, and generic code that the compiler
/// can't specialize there cost a page from the cache 4 % of its time.
package struct LRU<Key: Hashable, Value> {
    @usableFromInline
    struct Node {
        @usableFromInline let key: Key
        @usableFromInline let value: Value
        @usableFromInline let cost: Int
        /// Index of the next more recently used node; -1 at the end.
        @usableFromInline var newer = -1
        @usableFromInline var older = -1

        @inlinable
        init(key: Key, value: Value, cost: Int) {
            self.key = key
            self.value = value
            self.cost = cost
        }
    }

    @usableFromInline let budget: Int
    /// The sum of the costs of all values.
    @inlinable
    package var cost: Int { total }
    @usableFromInline var total = 0
    @usableFromInline var slots: [Key: Int] = [:]
    @usableFromInline var nodes: [Node?] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var newest = -1
    @usableFromInline var oldest = -1

    @inlinable
    package init(budget: Int) { self.budget = budget }

    @inlinable
    package var count: Int { slots.count }

    /// The value of `key`. Counts as a use.
    @inlinable
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
    @inlinable
    package mutating func keep(_ value: Value, of key: Key, cost: Int) {
        if let slot = slots[key] { drop(slot) }
        guard cost <= budget else { return }
        while total + cost > budget { drop(oldest) }
        let slot = free.popLast() ?? nodes.count
        if slot == nodes.count { nodes.append(nil) }
        nodes[slot] = Node(key: key, value: value, cost: cost)
        slots[key] = slot
        total += cost
        link(slot)
    }

    @inlinable
    mutating func drop(_ slot: Int) {
        unlink(slot)
        slots[nodes[slot]!.key] = nil
        total -= nodes[slot]!.cost
        nodes[slot] = nil
        free.append(slot)
    }

    @inlinable
    mutating func unlink(_ slot: Int) {
        let (newer, older) = (nodes[slot]!.newer, nodes[slot]!.older)
        if newer >= 0 { nodes[newer]!.older = older } else { newest = older }
        if older >= 0 { nodes[older]!.newer = newer } else { oldest = newer }
    }

    @inlinable
    mutating func link(_ slot: Int) {
        (nodes[slot]!.newer, nodes[slot]!.older) = (-1, newest)
        if newest >= 0 { nodes[newest]!.newer = slot } else { oldest = slot }
        newest = slot
    }
}
