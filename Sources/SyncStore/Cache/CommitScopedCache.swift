import Synchronization

/// Remembers what was looked up for as long as the mark that it was looked up at stays the same. So it never gives
/// anything older than the question.
package final class CommitScopedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let mark: CommitMark
        let value: Value
    }

    private let entries: Mutex<LRU<Key, Entry>>

    /// Keeps the `limit` values that were used last.
    package init(limit: Int = 10_000) { entries = Mutex(LRU(budget: limit)) }

    /// What is known of `key` at `mark`.
    package func value(of key: Key, at mark: CommitMark) -> Value? {
        entries.withLock { $0.value(of: key).flatMap { $0.mark == mark ? $0.value : nil } }
    }

    /// Keeps what was looked up after `mark` was read.
    package func keep(_ value: Value, of key: Key, at mark: CommitMark) {
        entries.withLock { entries in
            // A slower look-up must not replace what a later one found.
            if let known = entries.value(of: key), mark.isOlder(than: known.mark) { return }
            entries.keep(Entry(mark: mark, value: value), of: key, cost: 1)
        }
    }

    /// What is known of `key` at `mark`, otherwise what `lookUp` finds in an inline read of the store. Nil is not
    /// remembered.
    ///
    /// `mark` was read before. If a commit comes in between, the answer counts as older than it is, which is safe.
    package func value(
        of key: Key, at mark: CommitMark, in store: some SyncStore, _ scope: StoreScope,
        lookUp: (any ReadTransaction) throws -> Value?
    ) async throws -> Value? {
        if let known = value(of: key, at: mark) { return known }
        let found = try await store.readInline(scope, lookUp)
        if let found { keep(found, of: key, at: mark) }
        return found
    }
}
