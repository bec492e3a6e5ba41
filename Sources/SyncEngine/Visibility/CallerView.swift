import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// What a caller may see of a project at one moment, apart from questions about single rows.
struct CallerView: Sendable {
    let access: ProjectAccess
    /// The last commit at which a gate closed on a row that the caller can't see now; zero if there is none.
    let concealedSeq: SyncSeq

    /// Throws what `ProjectAccess` throws.
    init(_ caller: Caller, project: String, _ registry: Registry, in transaction: any ReadTransaction) throws {
        access = try ProjectAccess(caller, project: project, in: transaction)
        var last = SyncSeq.zero
        for collection in registry.collections where access.rows(of: collection, registry) == .ungated {
            last = max(last, try transaction.lastConcealment(project: project, in: collection))
        }
        concealedSeq = last
    }
}
