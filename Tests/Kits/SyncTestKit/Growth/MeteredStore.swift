import Foundation
import SyncProtocol
package import SyncStore
import Synchronization

/// A store that measures what its writes cost while they hold the writer.
package final class MeteredStore<Base: SyncStore>: WrappingStore {
    /// What one write cost.
    package struct Cost: Sendable {
        /// Calls of the store.
        package var calls = 0
        /// Entries that it put into inboxes.
        package var lostEdits = 0
        /// Processor time of its thread, which other tests do not use.
        package var seconds = 0.0
    }

    package let base: Base
    private let costs = Mutex<[Cost]>([])

    package init(_ base: Base) { self.base = base }

    /// The cost of the last write that was committed or refused.
    package var last: Cost { costs.withLock { $0.last ?? Cost() } }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write(scope, priority: priority, needing: needs) { [self] transaction in
            let metered = MeteredTransaction(transaction)
            let start = threadSeconds()
            defer {
                var cost = metered.cost
                cost.seconds = threadSeconds() - start
                costs.withLock { $0.append(cost) }
            }
            return try body(metered)
        }
    }

    private func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private final class MeteredTransaction: ForwardingTransaction {
        private(set) var cost = Cost()

        override func forward<Result>(_ call: (any WriteTransaction) throws -> Result) throws -> Result {
            cost.calls += 1
            return try call(base)
        }

        override func addToInbox(_ edits: [LostEdit], project: String, at: SyncProtocol.Instant) throws {
            cost.lostEdits += edits.count
            try super.addToInbox(edits, project: project, at: at)
        }
    }
}
