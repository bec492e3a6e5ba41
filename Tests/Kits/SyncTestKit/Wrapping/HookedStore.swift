package import SyncStore

import Synchronization

/// A store that runs a function before each of its writes, which are counted from 1. The function can
/// do something else first, or throw.
package struct HookedStore<Base: SyncStore>: WrappingStore {
    package let base: Base
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

    package init(_ base: Base, before: @escaping @Sendable (Int) async throws -> Void) {
        self.base = base
        self.before = before
    }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await before(writes.next())
        return try await base.write(scope, priority: priority, needing: needs, body)
    }
}
