package import SyncEngine

/// A store whose writes fail at a chosen call of the port: what is behind it must then be as before.
package struct FaultyStore<Base: SyncStore>: SyncStore {
    /// What a failing call throws.
    package struct Fault: Error {}

    private let base: Base
    private let failingCall: Int

    /// The `failingCall`th call of each write transaction, counted from 1, throws `Fault`.
    package init(_ base: Base, failingCall: Int) {
        self.base = base
        self.failingCall = failingCall
    }

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
        try await base.write { try body(FaultyTransaction($0, callsLeft: failingCall)) }
    }
}

/// Counts the calls of one transaction down.
private final class FaultyTransaction: ForwardingTransaction {
    private var callsLeft: Int

    init(_ base: any WriteTransaction, callsLeft: Int) {
        self.callsLeft = callsLeft
        super.init(base)
    }

    override func forward<Value>(_ call: (any WriteTransaction) throws -> Value) throws -> Value {
        callsLeft -= 1
        if callsLeft == 0 { throw FaultyStore<ModelStore>.Fault() }
        return try call(base)
    }
}
