package import SyncStore

/// A store that runs the body of every write twice and undoes the first run, as a store may do at any time.
package struct RerunningStore<Base: SyncStore>: WrappingStore {
    private struct Undone: Error {}

    package let base: Base

    package init(_ base: Base) { self.base = base }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: Needs, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        // Whatever the first run throws, the second one says what comes of the write.
        try? await base.write(scope, needing: needs) { transaction in
            _ = try body(transaction)
            throw Undone()
        }
        return try await base.write(scope, needing: needs, body)
    }
}
