import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Everything that the shared part of a page depends on, within one
/// process. Callers with equal keys may get the same bytes.
///
/// A row in a page's range that is written later gets a number above the page's `timestamp`. A page
/// read earlier is therefore as good as one read now, with two exceptions that the key covers. A gate
/// may have closed since: `concealedSeq`, and `horizon`, because a purge forgets closed gates. And
/// `digest` describes the rows as they are now: `isCurrent`.
struct PageKey: Hashable, Sendable {
    private let project: String
    private let since: SyncSeq
    private let timestamp: SyncSeq
    private let segment: Int
    private let position: KeysetPosition
    private let form: PullForm
    private let servesAll: Bool
    private let createdAfter: SyncSeq
    private let ownCreatedBefore: SyncSeq
    /// The user whose own rows don't come in `created`; nil for nobody.
    private let splitFor: Int64?
    /// For each segment, whether it has only rows that no gate hides.
    private let ungated: [Bool]
    private let isWidened: Bool
    /// For each segment, what the caller could see of its gated collection.
    private let sights: [Sight?]
    private let concealedSeq: SyncSeq
    private let horizon: SyncSeq
    private let isCurrent: Bool
    let isPacked: Bool

    /// Approximate memory, in bytes.
    var cost: Int { 512 + 64 * (form.collections?.count ?? 0) + (form.migration?.binding.utf8.count ?? 0) * 4 }

    init(_ plan: PagePlan, isPacked: Bool) {
        let (request, access, start) = (plan.request, plan.view.access, plan.start)
        project = request.project
        since = request.since
        (timestamp, segment, position) = (start.timestamp, start.segment, start.position)
        form = request.form
        (servesAll, createdAfter) = (request.servesAll, request.createdAfter)
        ownCreatedBefore = request.ownCreatedBefore
        splitFor = request.created == .ofOthers ? access.caller.userID : nil
        ungated = plan.drain.segments.map { $0.rows == .ungated }
        // A drain from 0 does not depend on the history of the caller's role.
        isWidened = since > .zero && since < access.widenedSeq
        sights = plan.drain.segments.map(\.sight)
        concealedSeq = plan.view.concealedSeq
        horizon = access.project.horizon
        isCurrent = plan.isCurrent
        self.isPacked = isPacked
    }
}
