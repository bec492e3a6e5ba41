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
            return try await shared(flight, key, mark) { try await store.readInline(scope, lookUp) }
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
        _ flight: CacheFlight<Value>, _ key: Key, _ mark: CommitMark, read: () async throws -> Value?
    ) async throws -> Value? {
        do {
            let found = try await read()
            if let found { keep(found, of: key, at: mark) }
            land(flight, key, .success(found))
            return found
        } catch {
            // Who gave up speaks for nobody else.
            land(flight, key, error is CancellationError ? nil : .failure(error))
            throw error
        }
    }

    @inlinable
    func land(_ flight: CacheFlight<Value>, _ key: Key, _ landing: Result<Value?, any Error>?) {
        flights.withLock { if $0[key]?.flight === flight { $0[key] = nil } }
        flight.land(landing)
    }
}

/// A look-up that is under way. It lands with nil if it was given up.
package typealias CacheFlight<Value: Sendable> = Flight<Result<Value?, any Error>?>
