package import SyncStore

/// A store that runs the body of every write twice and rolls the first run back. A store may do so at any time.
package struct RerunningStore<Base: SyncStore>: WrappingStore {
    private struct Undone: Error {}

    package let base: Base

    package init(_ base: Base) { self.base = base }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        // Errors of the first run do not count: the second run gives the result.
        try? await base.write(scope, priority: priority, needing: needs) { transaction in
            _ = try body(transaction)
            throw Undone()
        }
        return try await base.write(scope, priority: priority, needing: needs, body)
    }
}
