package import SyncStore

/// A store that changes how writes work, and forwards everything else to its base.
package protocol WrappingStore: SyncStore {
    associatedtype Base: SyncStore
    var base: Base { get }
}

extension WrappingStore {
    package func read<Value: Sendable>(
        _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.read(body) }

    package func readInline<Value>(_ body: (any ReadTransaction) throws -> Value) throws -> Value {
        try base.readInline(body)
    }

    package func commitMark() throws -> CommitMark { try base.commitMark() }
    package func accountMark() throws -> CommitMark { try base.accountMark() }

    package func stream(
        _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await base.stream(body) }
}
