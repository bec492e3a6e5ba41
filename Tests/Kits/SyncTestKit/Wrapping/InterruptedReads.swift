package import SyncStore

/// A store that runs a function after each of its reads, before the reader hears of the end. What the function writes
/// falls between two reads of one answer.
package struct InterruptedReads<Base: SyncStore>: WrappingStore {
    package let base: Base
    private let after: @Sendable () async throws -> Void

    package init(_ base: Base, after: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.after = after
    }

    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await base.read(scope, body)
        try await after()
        return value
    }

    package func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await base.readInline(scope, body)
        try await after()
        return value
    }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await base.write(scope, needing: needs, body) }
}
