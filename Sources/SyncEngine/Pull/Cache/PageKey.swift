import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// All that the shared part of a page is a function of, within one process: two callers whose keys are equal may be
/// given the same bytes.
///
/// Rows in the range of a page that are written to get a number beyond its `timestamp`. So a page that was read before
/// is as good as one read now, but in two regards, which the key therefore names: a gate may have closed since
/// (`concealedSeq`, and `horizon`, as a purge forgets which), and `digest` is of the rows as they are now
/// (`isCurrent`).
struct PageKey: Hashable, Sendable {
    private let project: String
    private let since: SyncSeq
    private let timestamp: SyncSeq
    private let segment: Int
    private let position: KeysetPosition
    private let pageSize: Int
    private let collections: Set<String>?
    private let encoding: WireEncoding
    private let migration: PullMigration?
    /// Whose own rows don't come in `created`.
    private let splitFor: Int64?
    private let created: PullRequest.Created
    /// For each collection whether the caller is in front of its gate.
    private let ungated: [Bool]
    private let isWidened: Bool
    /// For each collection what the caller could see of it.
    private let sights: [Sight?]
    private let concealedSeq: SyncSeq
    private let horizon: SyncSeq
    private let isCurrent: Bool
    let isPacked: Bool

    /// Bytes of memory, roughly.
    var cost: Int { 512 + 64 * (collections?.count ?? 0) + (migration?.binding.utf8.count ?? 0) * 4 }

    init(_ plan: PagePlan, isPacked: Bool) {
        let (request, access, start) = (plan.request, plan.view.access, plan.start)
        project = request.project
        since = request.since
        (timestamp, segment, position) = (start.timestamp, start.segment, start.position)
        pageSize = request.pageSize
        collections = request.collections
        encoding = request.encoding
        migration = request.migration
        splitFor = request.created == .ofOthers ? access.caller.userID : nil
        created = request.created
        ungated = plan.drain.segments.map { $0.rows == .ungated }
        // At 0 a role's history makes no difference.
        isWidened = since > .zero && since < access.widenedSeq
        sights = plan.drain.segments.map(\.sight)
        concealedSeq = plan.view.concealedSeq
        horizon = access.project.horizon
        isCurrent = plan.isCurrent
        self.isPacked = isPacked
    }
}
