package import SyncProtocol
package import SyncSchema

/// Makes rows that were written before a field was a reference follow a changed schema. The rules do it, for the
/// migration of a store, in its transaction.
package protocol RowMender: Sendable {
    /// Takes `dead` references of the project away, in one commit, and delivers the rows of `again` once more. What is
    /// changed is `author`'s. Throws `in_use` where a project or a membership would have to go.
    func mend(
        _ dead: [DeadReference], delivering again: [RowKey], of project: String, _ registry: Registry, author: Int64,
        at now: Instant, in transaction: any WriteTransaction
    ) throws -> Mending
}
