package import SyncEngine

/// A store that runs the body of every write twice and undoes the first run, as a store may do at any time.
package struct RerunningStore<Base: SyncStore>: SyncStore {
    private struct Undone: Error {}

    private let base: Base

    package init(_ base: Base) { self.base = base }

    package func read<Value: Sendable>(
        _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.read(body) }

    package func glance<Value>(_ body: (any ReadTransaction) throws -> Value) throws -> Value {
        try base.glance(body)
    }

    package func commitMark() throws -> CommitMark { try base.commitMark() }
    package func accountMark() throws -> CommitMark { try base.accountMark() }

    package func stream(
        _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await base.stream(body) }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        // Whatever the first run throws, the second one says what comes of the write.
        try? await base.write { transaction in
            _ = try body(transaction)
            throw Undone()
        }
        return try await base.write(body)
    }
}
