package import SyncProtocol
package import SyncSchema

/// Makes existing rows follow a changed schema, for example after a field became a reference. The rules of the engine
/// do this; a store calls it in the transaction of its migration.
package protocol RowMender: Sendable {
    /// Removes the `dead` references of the project and delivers the rows in `again` once more, all in one commit. The
    /// changes are attributed to `author`. Throws `in_use` if a project or a membership would have to be deleted.
    func mend(
        _ dead: [DeadReference], delivering again: [RowKey], of project: String, _ registry: Registry, author: Int64,
        at now: Instant, in transaction: any WriteTransaction
    ) throws -> Mending
}
