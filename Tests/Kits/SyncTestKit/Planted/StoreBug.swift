package import SyncStore

/// A mistake that a store makes in its transactions.
package protocol StoreBug: Sendable {
    /// The transaction with the mistake; the same one if it has none.
    func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction
}
