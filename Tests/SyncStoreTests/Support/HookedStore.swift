import SyncStore
import SyncTestKit
import Synchronization

/// A store that has something done before each of its writes, counted from 1: what else happens then, or an end.
struct HookedStore<Base: SyncStore>: WrappingStore {
    let base: Base
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

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await before(writes.next())
        return try await base.write(body)
    }
}
