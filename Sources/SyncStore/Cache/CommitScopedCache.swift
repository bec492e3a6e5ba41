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

    /// The value kept for `key` under `mark`. Without one, the result
    /// of `lookUp` in an inline read of the store. Nil is not kept.
    ///
    /// The caller read `mark` before. If a commit comes in between, the result is kept under a mark older than itself.
    /// That is safe: the entry is discarded early.
    @inlinable
    package func value(
        of key: Key, at mark: CommitMark, in store: some SyncStore, _ scope: StoreScope,
        lookUp: @Sendable (any ReadTransaction) throws -> Value?
    ) async throws -> Value? {
        if let known = value(of: key, at: mark) { return known }
        let found = try await store.readInline(scope, lookUp)
        if let found { keep(found, of: key, at: mark) }
        return found
    }
}
