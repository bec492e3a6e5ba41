import Synchronization

/// Remembers what was looked up as long as a mark of the store stays the same: what it gives is never older than the question.
package final class CommitScopedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var mark: CommitMark?
        var values: [Key: Value] = [:]
    }

    /// More are not kept; without a commit all are forgotten then.
    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int = 10_000) { self.limit = limit }

    /// What is known of `key` at `mark`.
    package func value(of key: Key, at mark: CommitMark) -> Value? {
        state.withLock { $0.mark == mark ? $0.values[key] : nil }
    }

    /// Keeps what was looked up after `mark` was read.
    package func keep(_ value: Value, of key: Key, at mark: CommitMark) {
        state.withLock { state in
            // A slower look-up must not wipe out what later ones found.
            if let newest = state.mark, mark.isOlder(than: newest) { return }
            if state.mark != mark || state.values.count >= limit {
                state = State(mark: mark)
            }
            state.values[key] = value
        }
    }

    /// What is known of `key` at `mark`, or else what `lookUp` finds in a readInline at the store. Nil is not remembered. The
    /// mark was read before: what a commit in between makes of the answer is then taken for older than it is.
    package func value(
        of key: Key, at mark: CommitMark, in store: some SyncStore, lookUp: (any ReadTransaction) throws -> Value?
    ) throws -> Value? {
        if let known = value(of: key, at: mark) { return known }
        let found = try store.readInline(lookUp)
        if let found { keep(found, of: key, at: mark) }
        return found
    }
}
