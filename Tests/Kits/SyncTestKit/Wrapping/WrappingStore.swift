package import SyncProtocol
package import SyncStore

/// A store that changes how writes work, and forwards everything else to its base.
package protocol WrappingStore: SyncStore {
    associatedtype Base: SyncStore
    var base: Base { get }
}

extension WrappingStore {
    package func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.read(scope, body) }

    package func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.readInline(scope, body) }

    package func mark(of scope: MarkScope) async throws -> CommitMark { try await base.mark(of: scope) }

    package func onCommit(_ body: @escaping @Sendable () -> Void) { base.onCommit(body) }

    package func exclusively(_ job: UpkeepJob, _ body: () async throws -> Void) async throws -> Bool {
        try await base.exclusively(job, body)
    }

    package func tidyUp(at now: Instant) async throws { try await base.tidyUp(at: now) }

    package var throttle: (any Throttle)? { base.throttle }

    package var servers: Int { base.servers }

    package var troubles: StoreTroubles { base.troubles }

    package func recover() async { await base.recover() }

    package func noteSound() { base.noteSound() }

    package var metrics: StoreMetrics { base.metrics }

    package func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await base.stream(scope, body) }
}
