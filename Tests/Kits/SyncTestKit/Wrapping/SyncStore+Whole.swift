package import SyncStore

/// For tests, which look at everything.
extension SyncStore {
    package func read<Value: Sendable>(
        _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await read(.installation, body) }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await write(.installation, priority: .ordinary, body) }
}
