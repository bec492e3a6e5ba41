package import Synchronization

/// Caches results of reads. An entry is valid only for the commit mark under which it was kept, so the cache never
/// returns anything older than the caller's mark.
package final class CommitScopedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    struct Entry {
        @usableFromInline let mark: CommitMark
        @usableFromInline let value: Value

        @inlinable
        init(mark: CommitMark, value: Value) {
            self.mark = mark
            self.value = value
        }
    }

    @usableFromInline let entries: Mutex<LRU<Key, Entry>>
    @usableFromInline let flights = Mutex<[Key: (mark: CommitMark, flight: CacheFlight<Value>)]>([:])

    /// Keeps the `limit` values that were used last.
    @inlinable
    package init(limit: Int = 10_000) { entries = Mutex(LRU(budget: limit)) }

    /// The value kept for `key` under exactly this mark.
    @inlinable
    package func value(of key: Key, at mark: CommitMark) -> Value? {
        entries.withLock { $0.value(of: key).flatMap { $0.mark == mark ? $0.value : nil } }
    }

    /// Keeps a value. The caller read `mark` before it read the value.
    @inlinable
    package func keep(_ value: Value, of key: Key, at mark: CommitMark) {
        entries.withLock { entries in
            // A slow read must not replace the result of a later one.
            if let known = entries.value(of: key), mark.isOlder(than: known.mark) { return }
            entries.keep(Entry(mark: mark, value: value), of: key, cost: 1)
        }
    }

    /// The value kept for `key` under `mark`. Without one, the result of `lookUp` in an inline read of the store.
    /// Callers who ask for the same value at the same time share one read. Nil is not kept.
    ///
    /// The caller read `mark` before. If a commit comes in between, the result is kept under a mark older than itself.
    /// That is safe: the entry is discarded early.
    @inlinable
    package func value(
        of key: Key, at mark: CommitMark, in store: some SyncStore, _ scope: StoreScope,
        lookUp: @Sendable (any ReadTransaction) throws -> Value?
    ) async throws -> Value? {
        while true {
            if let known = value(of: key, at: mark) { return known }
            let (flight, isOwn) = flight(to: key, at: mark)
            guard isOwn else {
                guard let result = await flight.landing() else { continue }
                return try result.get()
            }
            return try await shared(flight, key: key, mark: mark) { try await store.readInline(scope, lookUp) }
        }
    }

    /// A read that began no earlier than `mark` was read, and whether the caller has to make it.
    @inlinable
    func flight(to key: Key, at mark: CommitMark) -> (flight: CacheFlight<Value>, isOwn: Bool) {
        flights.withLock { flights in
            if let known = flights[key], !known.mark.isOlder(than: mark) { return (known.flight, false) }
            let flight = CacheFlight<Value>()
            flights[key] = (mark, flight)
            return (flight, true)
        }
    }

    @inlinable
    func shared(
        _ flight: CacheFlight<Value>, key: Key, mark: CommitMark, read: () async throws -> Value?
    ) async throws -> Value? {
        do {
            let found = try await read()
            if let found { keep(found, of: key, at: mark) }
            land(flight, key: key, landing: .success(found))
            return found
        } catch {
            // Who gave up speaks for nobody else.
            land(flight, key: key, landing: error is CancellationError ? nil : .failure(error))
            throw error
        }
    }

    @inlinable
    func land(_ flight: CacheFlight<Value>, key: Key, landing: Result<Value?, any Error>?) {
        flights.withLock { if $0[key]?.flight === flight { $0[key] = nil } }
        flight.land(landing)
    }
}

/// A look-up that is under way. It lands with nil if it was given up.
package typealias CacheFlight<Value: Sendable> = Flight<Result<Value?, any Error>?>

/// A read that is under way, and the callers who wait for it. `Landing` is how the read ended.
package final class Flight<Landing: Sendable>: Sendable {
    @usableFromInline
    enum State {
        case underWay([CheckedContinuation<Landing, Never>])
        case landed(Landing)
    }

    @usableFromInline let state = Mutex(State.underWay([]))

    @inlinable
    package init() {}

    /// Waits for the end of the read.
    package func landing() async -> Landing {
        await withCheckedContinuation { continuation in
            let landed: Landing? = state.withLock { state in
                switch state {
                case .landed(let landing): return landing
                case .underWay(var waiting):
                    // Empty the state first. Otherwise each append would copy the list.
                    state = .underWay([])
                    waiting.append(continuation)
                    state = .underWay(waiting)
                    return nil
                }
            }
            if let landed { continuation.resume(returning: landed) }
        }
    }

    /// Ends the wait of all callers. Only the first call counts.
    package func land(_ landing: Landing) {
        let waiting = state.withLock { state -> [CheckedContinuation<Landing, Never>] in
            guard case .underWay(let waiting) = state else { return [] }
            state = .landed(landing)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: landing) }
    }
}

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
        let newer = nodes[slot]!.newer
        let older = nodes[slot]!.older
        if newer >= 0 { nodes[newer]!.older = older } else { newest = older }
        if older >= 0 { nodes[older]!.newer = newer } else { oldest = newer }
    }

    @inlinable
    mutating func link(_ slot: Int) {
        nodes[slot]!.newer = -1
        nodes[slot]!.older = newest
        if newest >= 0 { nodes[newest]!.newer = slot } else { oldest = slot }
        newest = slot
    }
}
