import SyncEngine
import Synchronization

/// A store that has something done before each of its writes, counted from 1: what else happens then, or an end.
struct HookedStore<Base: SyncStore>: SyncStore {
    private let base: Base
    private let before: @Sendable (Int) async throws -> Void
    private let writes = Counter()

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    init(_ base: Base, before: @escaping @Sendable (Int) async throws -> Void) {
        self.base = base
        self.before = before
    }

    func read<Value: Sendable>(_ body: @Sendable (any ReadTransaction) throws -> Value) async throws -> Value {
        try await base.read(body)
    }

    func glance<Value>(_ body: (any ReadTransaction) throws -> Value) throws -> Value { try base.glance(body) }
    func commitMark() throws -> CommitMark { try base.commitMark() }
    func accountMark() throws -> CommitMark { try base.accountMark() }

    func stream(
        _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await base.stream(body) }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await before(writes.next())
        return try await base.write(body)
    }
}
