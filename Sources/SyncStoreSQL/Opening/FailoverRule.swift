/// What is done at a start after a failover that no running server has seen. From inside, a promotion that lost
/// nothing looks like a restore to a point in time.
package enum FailoverRule: String, CaseIterable, Sendable {
    /// The server does not start. Somebody says what happened, with `tidemark promoted` or `tidemark restored`.
    case ask
    /// Nothing was lost, because commits wait for a synchronous standby.
    case trust
    /// Something may be lost, at every failover: replication is asynchronous.
    case jump
}
