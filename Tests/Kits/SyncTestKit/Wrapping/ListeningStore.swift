package import SyncStore
import Synchronization

/// A store that writes down which scope and needs each write names, and which rows its body looks up by their keys.
package final class ListeningStore<Base: SyncStore>: WrappingStore {
    /// What one write named and asked for.
    package struct Heard: Sendable {
        package let scope: StoreScope
        package let needs: Needs
        package let rows: Set<RowKey>
    }

    package let base: Base
    private let writes = Mutex<[Heard]>([])

    package init(_ base: Base) { self.base = base }

    /// All writes so far, in their order.
    package var heard: [Heard] { writes.withLock { $0 } }

    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        let (value, rows) = try await base.write(scope, priority: priority, needing: needs) { transaction in
            let listening = ListeningTransaction(transaction)
            return (try body(listening), listening.rows)
        }
        writes.withLock { $0.append(Heard(scope: scope, needs: needs(), rows: rows)) }
        return value
    }
}

private final class ListeningTransaction: ForwardingTransaction {
    private(set) var rows: Set<RowKey> = []

    override func record(_ key: RowKey) throws -> StoredRow? {
        rows.insert(key)
        return try super.record(key)
    }
}
