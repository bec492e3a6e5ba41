package import SyncStore

/// A store whose writes fail at a chosen call. Afterwards the store must be as it was before.
package struct FaultyStore<Base: SyncStore>: WrappingStore {
    /// What a failing call throws.
    package struct Fault: Error {}

    package let base: Base
    private let failingCall: Int

    /// Makes the `failingCall`th call of each write transaction, counted from 1, throw `Fault`.
    package init(_ base: Base, failingCall: Int) {
        self.base = base
        self.failingCall = failingCall
    }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write(scope, priority: priority, needing: needs) {
            try body(FaultyTransaction($0, callsLeft: failingCall))
        }
    }
}

/// Counts down the calls of one transaction.
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
